import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { DisposableStore } from '../../../src/base/disposable.ts';
import type { Machine, MachineFailure } from '../../../src/machines/machine.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { isAlive } from './alive.ts';

/** What every machine promises. `machine` runs on this computer's files, so that a test can look behind it. */
export function machineContract(name: string, machine: () => Machine): void {
  describe(`${name} keeps the machine contract`, () => {
    const folder = scratchFolder();
    const path = (file: string): string => join(folder(), file);
    const exec = (command: string, options: Parameters<Machine['exec']>[1] = {}) =>
      machine().exec(command, { cwd: folder(), ...options });
    let owned = new DisposableStore();
    afterEach(() => {
      owned.dispose();
      owned = new DisposableStore();
    });

    it('tells exit codes and signals apart', async () => {
      const cases = [
        ['exit 0', { kind: 'exited', code: 0 }],
        ['exit 3', { kind: 'exited', code: 3 }],
        ['exec sh -c "exit 4"', { kind: 'exited', code: 4 }],
        ['set -e; false; echo no', { kind: 'exited', code: 1 }],
        ['no_such_command_here', { kind: 'exited', code: 127 }],
        ['exit 255', { kind: 'exited', code: 255 }],
        ['# only a comment', { kind: 'exited', code: 0 }],
        ['kill -TERM $$', { kind: 'signalled', signal: 'TERM' }],
        ['kill -KILL $$', { kind: 'signalled', signal: 'KILL' }],
        ['kill -SEGV $$', { kind: 'signalled', signal: 'SEGV' }],
      ] as const;
      const outcomes = await Promise.all(cases.map(async ([command]) => (await exec(command)).outcome));
      assert.deepEqual(
        outcomes,
        cases.map(([, outcome]) => outcome),
      );
    });

    it('runs with bash, in the folder, with the environment, whatever the quoting', async () => {
      const odd = `it's "odd" \\n \\\\ $HOME \`x\` !1 % ä😀\tend\nnext  \n`;
      mkdirSync(path(`a 'b' "c"`));
      const { stdout } = await exec(`[[ a == a ]] && pwd && printf %s "$ODD" && cat <<'E'\n\\a!b%c'd\nE`, {
        cwd: path(`a 'b' "c"`),
        env: { ODD: odd },
      });
      assert.equal(stdout, `${path(`a 'b' "c"`)}\n${odd}\\a!b%c'd\n`);
      assert.equal((await exec('echo $PYTHONUNBUFFERED')).stdout, '1\n');
    });

    it('feeds standard input, and keeps stdout and stderr apart', async () => {
      const text = 'x'.repeat(300_000);
      assert.equal((await exec('wc -c', { stdin: text, env: { A: '1' } })).stdout.trim(), '300000');
      assert.deepEqual((await exec('true', { stdin: text })).outcome, { kind: 'exited', code: 0 });
      assert.equal((await exec('cat')).stdout, '');
      const { stdout, stderr } = await exec('echo out; echo err >&2');
      assert.deepEqual([stdout, stderr], ['out\n', 'err\n']);
    });

    it('keeps head and tail of a long output and counts the rest', async () => {
      const { stdout, omittedBytes } = await exec('seq 1 300000', { maxBytes: 200 });
      assert.match(stdout, /^1\n2\n/);
      assert.match(stdout, /299999\n300000\n$/);
      assert.equal(omittedBytes.stdout, 1_988_895 - 200);
    });

    it('ends the whole group when the time is over, or on an abort', async () => {
      const late = await exec('sleep 60 & echo $!; wait', { timeoutMs: 300 });
      assert.deepEqual(late.outcome, { kind: 'timed_out', afterMs: 300 });
      await until('child is gone', () => !isAlive(Number(late.stdout.split('\n')[0])));
      const abort = new AbortController();
      const running = exec('trap "" TERM; sleep 60 & echo $! > pid.tmp; mv pid.tmp pid; wait; sleep 60', {
        signal: abort.signal,
      });
      await until('it runs', () => readdirSync(folder()).includes('pid'));
      abort.abort();
      assert.deepEqual((await running).outcome, { kind: 'aborted' });
      await until('child is gone', () => !isAlive(Number(readFileSync(path('pid'), 'utf8'))));
      assert.deepEqual((await exec('touch no', { signal: abort.signal })).outcome, { kind: 'aborted' });
      assert.ok(!readdirSync(folder()).includes('no'));
    });

    it('does not wait for children that hold the output open', async () => {
      const { stdout, outcome } = await exec('sleep 30 & echo $!');
      process.kill(Number(stdout), 'SIGKILL');
      assert.deepEqual(outcome, { kind: 'exited', code: 0 });
    });

    it('says what is wrong when a command cannot be run', async () => {
      await assert.rejects(exec('true', { cwd: path('no') }), { reason: 'missing', message: /no folder/ });
      await assert.rejects(exec(`true ${'x'.repeat(3_000_000)}`), { reason: 'io', message: /Write it to a file/ });
    });

    it('starts processes that stay, in a session of their own', async () => {
      const argv = [
        '/bin/sh',
        '-c',
        'echo "$A $(ps -o sid= -p $$) $$" > "$1.tmp"; mv "$1.tmp" "$1"; sleep 60',
        'sh',
        'o',
      ];
      await machine().spawnDetached(argv, { cwd: folder(), env: { A: 'b c' } });
      await until('it runs', () => readdirSync(folder()).includes('o'));
      const [, sid, pid] = /^b c\s+(\d+)\s+(\d+)$/.exec(readFileSync(path('o'), 'utf8').trim()) ?? [];
      assert.equal(sid, pid);
      process.kill(-Number(pid), 'SIGKILL');
      await assert.rejects(machine().spawnDetached(['/no/such'], { cwd: folder(), env: {} }), { reason: 'io' });
      await assert.rejects(machine().spawnDetached(['true'], { cwd: path('no'), env: {} }), { reason: 'missing' });
    });

    it('writes, makes parent folders, appends, reads whole files and ranges of any bytes', async () => {
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
      await machine().writeFile(path("a/b/it's.bin"), bytes);
      assert.ok(bytes.equals(readFileSync(path("a/b/it's.bin"))));
      assert.ok(bytes.equals(await machine().readFile(path("a/b/it's.bin"))));
      const range = await machine().readFile(path("a/b/it's.bin"), { offset: 199_990, maxBytes: 100 });
      assert.ok(bytes.subarray(199_990).equals(range));
      await machine().appendFile(path("a/b/it's.bin"), Buffer.from('!'));
      await machine().appendFile(path('a/new'), Buffer.from('n'));
      assert.equal((await machine().stat(path("a/b/it's.bin")))?.sizeBytes, 200_001);
      assert.deepEqual(readdirSync(path('a/b')), ["it's.bin"]);
      assert.equal(readFileSync(path('a/new'), 'utf8'), 'n');
      assert.match(Buffer.from(await machine().readFile('/proc/self/stat')).toString(), /^\d+ \(/);
    });

    it('keeps the mode and follows links, also one that leads nowhere yet', async () => {
      writeFileSync(path('run.sh'), 'old', { mode: 0o750 });
      symlinkSync('run.sh', path('link'));
      symlinkSync('later.txt', path('dangling'));
      await machine().writeFile(path('link'), Buffer.from('new'));
      await machine().writeFile(path('dangling'), Buffer.from('made'));
      assert.equal(readFileSync(path('run.sh'), 'utf8'), 'new');
      assert.equal(statSync(path('run.sh')).mode & 0o777, 0o750);
      assert.ok(lstatSync(path('link')).isSymbolicLink());
      assert.equal(readFileSync(path('later.txt'), 'utf8'), 'made');
    });

    it('names the reason of each failure of a file', async () => {
      mkdirSync(path('dir'));
      writeFileSync(path('locked'), 'x');
      chmodSync(path('locked'), 0o444);
      symlinkSync('/dev/full', path('full'));
      const text = Buffer.from('y');
      await assert.rejects(machine().readFile(path('no')), { reason: 'missing' });
      await assert.rejects(machine().readFile(path('locked/below')), { reason: 'missing' });
      await assert.rejects(machine().readFile(path('dir')), { reason: 'io', message: /it is a folder/ });
      await assert.rejects(machine().writeFile(path('dir'), text), { reason: 'io', message: /it is a folder/ });
      await assert.rejects(machine().writeFile(path('locked'), text), { reason: 'denied', message: /read-only/ });
      await assert.rejects(machine().writeFile(path('locked/below'), text), { reason: /missing|io/ });
      await assert.rejects(machine().appendFile(path('full'), text), { reason: 'no_space' });
      await assert.rejects(machine().writeFile(path('full'), text), {
        reason: 'denied',
        message: /not a regular file/,
      });
      assert.equal(readFileSync(path('locked'), 'utf8'), 'x');
      assert.equal(await machine().stat(path('no')), undefined);
      assert.equal((await machine().stat(path('dir')))?.isDirectory, true);
    });

    function following(file: string, offset = 0) {
      const seen = { bytes: Buffer.alloc(0), changes: 0, errors: [] as MachineFailure[] };
      const follow = machine().follow(file, offset, {
        onBytes: (bytes, at) => {
          assert.equal(at, offset + seen.bytes.length, 'bytes come in order, each once');
          seen.bytes = Buffer.concat([seen.bytes, bytes]);
        },
        onChange: () => seen.changes++,
        onError: (error) => seen.errors.push(error),
      });
      owned.add(follow);
      return { seen, follow, text: () => seen.bytes.toString('latin1') };
    }

    it('follows a file from an offset, as it grows, and tells of changes beside it', async () => {
      writeFileSync(path('log'), '0123456789');
      const { follow, text, seen } = following(path('log'), 4);
      await follow.drain();
      assert.equal(text(), '456789');
      appendFileSync(path('log'), 'abc');
      await until('addition is read', () => text() === '456789abc');
      const before = seen.changes;
      writeFileSync(path('exit'), 'code=0');
      await until('change is told', () => seen.changes > before);
      assert.deepEqual(seen.errors, []);
    });

    it('follows a file that appears later, with its folder', async () => {
      const { text } = following(path(`la ter/it's`));
      mkdirSync(path('la ter'));
      writeFileSync(path(`la ter/it's`), 'second');
      await until('it is read', () => text() === 'second');
    });

    it('gives each byte once while writers and drains are at work, of several files', async () => {
      const followed = ['x', 'y', 'z'].map((file) => following(path(file)));
      let written = '';
      for (let part = 0; part < 60; part++) {
        const text = `${part}${'\0'.repeat(part * 31)}\n`;
        for (const file of ['x', 'y', 'z']) appendFileSync(path(file), text);
        written += text;
        if (part % 5 === 0) await Promise.all(followed.flatMap(({ follow }) => [follow.drain(), follow.drain()]));
      }
      await Promise.all(followed.map(({ follow }) => follow.drain()));
      for (const { text } of followed) assert.equal(text(), written);
    });

    it('has read everything when drain resolves, however much it is', async () => {
      const { follow, seen } = following(path('log'));
      const bytes = Buffer.from(Array.from({ length: 1 << 16 }, (_, index) => (index * 13) % 251));
      const big = Buffer.concat(Array.from({ length: 160 }, () => bytes));
      writeFileSync(path('log'), big);
      await follow.drain();
      assert.ok(big.equals(seen.bytes));
    });

    it('reports a file that cannot be read', async () => {
      mkdirSync(path('log'));
      const { seen, follow } = following(path('log'));
      await assert.rejects(follow.drain(), { reason: 'io' });
      await until('error is told', () => seen.errors.length > 0);
    });
  });
}
