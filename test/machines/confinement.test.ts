/** What a confined command may, and what it may not, judged from outside. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { shellQuote } from '../../src/base/text.ts';
import { confineScript } from '../../src/machines/confinement/confine.ts';
import { confinedMachine } from '../../src/machines/confinement/confinedMachine.ts';
import { caches, type Confinement } from '../../src/machines/confinement/policy.ts';
import type { ExecResult } from '../../src/machines/machine.ts';
import { confinedBed, isRoot, nobody, type ConfinedBed } from '../fakes/confinedBed.ts';
import { daemonScript } from '../fakes/hostileModel/daemon.ts';
import { until } from '../fakes/scratch.ts';
import { escapes, secret } from '../fakes/escapes.ts';

/** Returns the usual place of a cache below a home folder. */
const cacheIn = (home: string, cache: string): string => join(home, cache.replace(/ .*$/, ''));

const processes = (): string => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' });

const disk =
  readdirSync('/dev').find((name) => /^(?:[vsx]v?d[a-z]|nvme\dn\d)$/.test(name)) ?? 'sda';
const settings = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/randomize_va_space'];

for (const [who, user] of [
  [isRoot ? 'root' : 'a user', undefined],
  ...(isRoot ? ([['another user', nobody]] as const) : []),
] as const)
  describe(`a confined command of ${who}`, function () {
    this.timeout(60_000);
    let bed: ConfinedBed;
    let stray: string;
    let shared: string;
    let outside: ChildProcess;
    let servers: readonly Server[];
    let queue: string;
    const opened: string[] = [];

    const run = (command: string, more: Partial<Confinement> = {}): Promise<ExecResult> =>
      confinedMachine(bed.machine(), { ...bed.confinement, ...more }).exec(command, {
        timeoutMs: 30_000,
        env: {
          OUTSIDE: String(outside.pid),
          STRAY: stray,
          SHARED: shared,
          DISK: `/dev/${disk}`,
          QUEUE: queue,
        },
      });

    before(async () => {
      // npm sets one of them for the programs that it starts.
      for (const cache of caches) delete process.env[cache.split(' ')[1] ?? ''];
      bed = confinedBed(user);
      stray = mkdtempSync('/tmp/helios-stray-');
      shared = `/dev/shm/helios-stray-${process.pid}`;
      const files = {
        ...{ '.bashrc': 'x', '.config/gh/hosts.yml': secret, '.ssh/id_ed25519': secret },
        ...{ '.aws/credentials': secret, '.gnupg/secring': secret, '.helios/auth/key': secret },
        ...{ '.cache/huggingface/token': secret, '.helios/machines.json': `{"a":"${secret}"}` },
        ...{ '.helios/sessions/s-1/journal.jsonl': secret, '.helios/runs/r-1/capsule.sh': 'x' },
        ...{ '.helios/runs/r-1/output.log': 'loss=1', '.helios/git-guard-1/git': 'x' },
        [`.helios/worktrees/${bed.confinement.sessionId}/tree/.git`]: 'gitdir: x',
        [`.helios/worktrees/s-other/tree/.git`]: secret,
        [`.helios/copies/${bed.confinement.sessionId}/tree/a`]: 'of the code\n',
        [`.helios/copies/s-other/tree/a`]: secret,
        ...{
          'work/.git/config': '',
          'work/.git/HEAD': 'ref: refs/heads/main\n',
          'work/.git/hooks/a': '',
        },
        ...{ 'work/.git/objects/a': '', 'work/.git/refs/a': '' },
      };
      for (const [name, text] of Object.entries(files)) place(join(bed.home, name), text);
      for (const [file, text] of [
        [`${stray}/secret`, secret],
        [shared, secret],
      ] as const)
        place(file, text);
      mkdirSync(join(bed.home, '.cache'), { recursive: true });
      own(bed.home);
      own(stray);
      chmodSync(stray, 0o777);
      const [program = '', ...argv] = [...bed.step, 'sleep', '600'];
      outside = spawn(program, argv, { env: { ...process.env, SECRET: secret }, stdio: 'ignore' });
      queue = /\d+/.exec(execFileSync('ipcmk', ['-M', '64', '-p', '666']).toString())?.[0] ?? '';
      mkdirSync(join(bed.home, '.config/editor'));
      const sockets = [join(stray, 'socket'), join(bed.home, '.config/editor/socket')];
      servers = sockets.map((path) => createServer((each) => each.end(secret)).listen(path));
      await Promise.all(
        servers.map((server) => new Promise((resolve) => server.once('listening', resolve))),
      );
      for (const path of sockets) chmodSync(path, 0o777);
    });
    after(() => {
      outside.kill('SIGKILL');
      for (const server of servers) server.close();
      for (const path of [stray, shared, ...opened]) rmSync(path, { recursive: true, force: true });
      bed.dispose();
      // Fails if a command has removed it.
      execFileSync('ipcrm', ['-m', queue]);
    });

    function place(file: string, text: string): void {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    function own(path: string): void {
      if (user === undefined) return;
      lchownSync(path, user, user);
      if (lstatSync(path).isDirectory())
        for (const name of readdirSync(path)) own(join(path, name));
    }

    for (const [name, command] of Object.entries(escapes))
      it(`cannot ${name}`, async () => {
        const before = picture();
        const { stdout, stderr } = await run(`echo begun; ${command}`);
        assert.match(stdout, /^begun\n/, stderr);
        assert.ok(!`${stdout}${stderr}`.includes(secret), stdout + stderr);
        assert.doesNotMatch(stdout, /became/);
        assert.deepEqual(picture(), before);
        assert.equal(outside.exitCode ?? outside.signalCode, null);
      });

    /** What must stay: everything but what the command may change. */
    function picture(): Record<string, string> {
      const seen: Record<string, string> = {};
      const isOwn = (path: string): boolean =>
        [bed.work, join(bed.home, '.cache')].some((folder) => path.startsWith(`${folder}/`)) &&
        !path.startsWith(`${bed.work}/.git`);
      const look = (path: string): void => {
        const stat = lstatSync(path);
        if (stat.isDirectory()) {
          seen[path] = `folder ${stat.mode}`;
          for (const each of readdirSync(path)) look(join(path, each));
        } else if (!isOwn(path) || path.endsWith('/token'))
          seen[path] = stat.isSymbolicLink()
            ? readlinkSync(path)
            : stat.isFile()
              ? `${stat.mode} ${stat.nlink} ${readFileSync(path, 'utf8')}`
              : 'special';
        if (isOwn(path)) delete seen[path];
      };
      for (const path of [bed.home, stray, shared, ...settings]) look(path);
      for (const path of [
        '/etc/helios-planted',
        '/helios-planted',
        '/usr/local/bin/helios-planted',
      ])
        seen[path] = String(existsSync(path));
      return seen;
    }

    it('reads and writes what it needs', async () => {
      const { stdout, stderr, outcome } = await run(
        [
          'set -e',
          'echo a >new; cat new; git status --short; cat .git/HEAD; cat ~/.bashrc /etc/passwd >/dev/null',
          'cat ~/.helios/runs/r-1/output.log; cat ~/.helios/git-guard-1/git >/dev/null',
          `echo a >~/.helios/worktrees/${bed.confinement.sessionId}/tree/new`,
          'test ! -e ~/.helios/worktrees/s-other',
          `cd ~/.helios/copies/${bed.confinement.sessionId}/tree; cat a; echo a >new; cd`,
          'test ! -e ~/.helios/copies/s-other',
          ...caches.map((cache) => {
            const [name, variable] = cache.split(' ');
            return variable === undefined ? `echo a >~/${name}/new` : `echo a >"$${variable}/new"`;
          }),
          'if touch ~/.ssh/new ~/.helios/new /run/new 2>/dev/null; then exit 9; fi',
          'echo shared >/tmp/between; test /var/tmp -ef /tmp',
          'echo a >/dev/null; head -c 4 /dev/urandom >/dev/null; ls /proc/self/status >/dev/null',
        ].join('\n'),
      );
      assert.deepEqual(outcome, { kind: 'exited', code: 0 }, stdout + stderr);
      assert.match(stdout, /loss=1of the code\n/);
      assert.equal((await run('cat /tmp/between')).stdout, 'shared\n');
      assert.ok(!existsSync('/tmp/between'));
      assert.deepEqual(
        caches.filter((cache) => cache.includes(' ') && existsSync(cacheIn(bed.home, cache))),
        [],
        'of the home, only .cache gets new folders',
      );
    });

    it('writes caches where the user has them', async () => {
      for (const name of ['.keras', 'nltk_data']) mkdirSync(join(bed.home, name));
      own(bed.home);
      const command = 'echo a >~/.keras/new; echo a >~/nltk_data/new; echo "<$KERAS_HOME>"';
      assert.equal((await run(command)).stdout, '<>\n');
      for (const name of ['.keras', 'nltk_data'])
        assert.ok(existsSync(join(bed.home, name, 'new')), name);
    });

    it('works where it was started, with the caches and temporary files that variables name', async () => {
      const [hub, link] = [join(bed.home, 'hub'), join(bed.home, 'link')];
      const env = { HF_HOME: hub, TORCH_HOME: link, TMPDIR: '/opt/nowhere' };
      mkdirSync(join(bed.work, 'sub'), { recursive: true });
      mkdirSync(hub);
      symlinkSync(join(bed.home, '.config'), link);
      own(bed.home);
      const { stdout, stderr } = await confinedMachine(bed.machine(), bed.confinement).exec(
        'pwd; mktemp; touch $HF_HOME/a && echo cached; touch $TORCH_HOME/planted',
        { cwd: join(bed.work, 'sub'), env },
      );
      assert.match(stdout, /^\S+\/work\/sub\n\/tmp\/tmp\S+\ncached\n$/, stderr);
      assert.ok(!existsSync(join(bed.home, '.config', 'planted')));
      for (const path of [hub, link]) rmSync(path, { recursive: true });
    });

    it('names its threads, as CUDA does when it starts', async () => {
      const { stdout, stderr } = await run(
        'echo trainer >/proc/self/task/$$/comm; read -r name </proc/$$/comm; echo "$name"',
      );
      assert.match(stdout, /^trainer$/m, stderr);
    });
    it('uses shared memory between the processes of python', async () => {
      const { stdout, stderr } = await run(
        `python3 -c "
from multiprocessing import Pool, shared_memory
block = shared_memory.SharedMemory(create=True, size=64 << 20)
block.buf[0] = 7
def read(name):
  same = shared_memory.SharedMemory(name)
  return same.buf[0]
with Pool(4) as pool: print(pool.map(read, [block.name] * 4))
block.unlink()"`,
      );
      assert.equal(stdout, '[7, 7, 7, 7]\n', stderr);
    });

    it('reports how it ended as another command does', async () => {
      assert.deepEqual((await run('exit 3')).outcome, { kind: 'exited', code: 3 });
      assert.deepEqual((await run('kill -SEGV $$')).outcome, { kind: 'signalled', signal: 'SEGV' });
      const { outcome } = await confinedMachine(bed.machine(), bed.confinement).exec(
        'setsid sleep 600 & sleep 600',
        { timeoutMs: 500 },
      );
      assert.deepEqual(outcome, { kind: 'timed_out', afterMs: 500 });
    });

    it('leaves no process, whatever that has taken off', async () => {
      const seconds = `86414.${process.pid}`;
      place(join(bed.work, 'daemon.py'), daemonScript(seconds));
      const { outcome } = await run('python3 daemon.py');
      assert.deepEqual(outcome, { kind: 'exited', code: 0 });
      await until('nothing is left', () => !processes().includes(seconds));
    });

    it('follows no link that an earlier command put in place of a granted folder', async () => {
      const out = join(bed.work, 'results');
      const more = { writable: [bed.work, out] };
      assert.deepEqual((await run('mkdir results && echo a >results/a', more)).outcome, {
        kind: 'exited',
        code: 0,
      });
      await run('rm -rf results; ln -s ~/.config results', more);
      await run('echo x >results/planted', more);
      assert.ok(!existsSync(join(bed.home, '.config', 'planted')));
    });

    it('cannot change what the editor, CI or Helios would run of a granted folder', async () => {
      const names = ['.vscode/tasks.json', '.github/workflows/ci.yml', 'helios.json'];
      names.push('a.code-workspace', '.gitlab-ci.yml');
      for (const name of names) place(join(bed.work, name), 'of the user\n');
      own(bed.work);
      const attacks = names.flatMap((name) => [
        `echo x >${name}`,
        `rm -rf ${name}`,
        `mv ${name} away`,
        `ln ${name} hard && echo x >hard`,
        `ln -s ${name} soft && echo x >soft`,
      ]);
      await run(attacks.map((attack) => `(${attack}) 2>/dev/null`).join('\n'));
      for (const name of names)
        assert.equal(readFileSync(join(bed.work, name), 'utf8'), 'of the user\n', name);
    });

    it('does not start where .git of a granted folder is a link', async () => {
      const folder = join(bed.home, 'linked');
      opened.push(folder);
      mkdirSync(folder);
      own(folder);
      const more = { writable: [bed.work, folder] };
      assert.deepEqual((await run(`ln -s ~/.ssh/id_ed25519 ${folder}/.git`, more)).outcome, {
        kind: 'exited',
        code: 0,
      });
      const { outcome, stderr } = await run('true', more);
      assert.deepEqual(outcome, { kind: 'exited', code: 126 });
      assert.match(stderr, /could not be confined: .*linked\/\.git is a link\./);
    });

    it('starts although a listed socket has gone with its folder', async () => {
      const folder = join(bed.home, 'gone');
      mkdirSync(folder);
      const server = createServer().listen(join(folder, 'main.sock'));
      await new Promise((resolve) => server.once('listening', resolve));
      const listed = 'places=$(places) || exit 126\n';
      const script = confineScript(bed.machine(), bed.confinement);
      assert.ok(script.includes(listed));
      const gap = `${listed}case $places in *gone/main.sock*) echo listed ;; esac; mv ${folder} ${folder}-away\n`;
      const { stdout, stderr } = await bed
        .machine()
        .exec(`exec /bin/sh -c ${shellQuote(script.replace(listed, () => gap))} helios echo ran`);
      server.close();
      assert.deepEqual([stdout, stderr], ['listed\nran\n', '']);
    });

    it('is never granted the home folder as a whole', async () => {
      for (const folder of [bed.home, dirname(bed.home), '/'])
        await run('echo x >~/planted', { writable: [bed.work, folder] });
      assert.ok(!existsSync(join(bed.home, 'planted')));
    });

    it('may change a folder that is granted, and creates it', async () => {
      const more = { writable: [bed.work, '~/data/new'] };
      await run('echo a >~/data/new/a', more);
      assert.equal(readFileSync(join(bed.home, 'data/new/a'), 'utf8'), 'a\n');
    });

    it('reaches the network of the machine, or none', async () => {
      const listener = createServer((socket) => socket.end('answer')).listen(0, '127.0.0.1');
      await new Promise((resolve) => listener.once('listening', resolve));
      const address = listener.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
      assert.equal((await run(ask)).stdout, 'answer');
      assert.notDeepEqual((await run(ask, { network: 'none' })).stdout, 'answer');
      listener.close();
      const own =
        'python3 -m http.server 8123 --bind 127.0.0.1 & sleep 1; exec 3<>/dev/tcp/127.0.0.1/8123; echo $?';
      assert.match((await run(`${own}; kill %1`, { network: 'none' })).stdout, /^0$/m);
    });
  });
