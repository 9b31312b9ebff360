import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { DisposableStore } from '../../../src/base/disposable.ts';
import { shellQuote } from '../../../src/base/text.ts';
import type { Machine, MachineFailure, StreamOptions } from '../../../src/machines/machine.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';
import { procFolder } from '../../setup/proc.ts';

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_001) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 70_001);
  }
}

/** Never says anything, nor that it is over. */
const silent = (): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
});

/**
 * What every machine promises. `machine` runs on this computer's files, so that a test can look
 * behind it.
 */
export function machineContract(name: string, machine: () => Machine): void {
  describe(`${name} keeps the machine contract`, () => {
    const folder = scratchFolder();
    const path = (file: string): string => join(folder(), file);
    const exec = (command: string, options: Parameters<Machine['exec']>[1] = {}) =>
      machine().exec(command, { cwd: folder(), ...options });
    // Processes are known by the numbers that they have there; a zombie is none.
    const isGone = async (pid = ''): Promise<boolean> => {
      const { outcome } = await exec(
        `grep -q '^State:.[^ZX]' ${procFolder}/${Number(pid)}/status`,
        {
          cwd: '/',
        },
      );
      return outcome.kind === 'exited' && outcome.code !== 0;
    };
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
      const outcomes = await Promise.all(
        cases.map(async ([command]) => (await exec(command)).outcome),
      );
      assert.deepEqual(
        outcomes,
        cases.map(([, outcome]) => outcome),
      );
    });

    it('runs with bash, in the folder, with the environment, whatever the quoting', async () => {
      const odd = `it's "odd" \\n \\\\ $HOME \`x\` !1 % ä😀\tend\nnext  \n`;
      mkdirSync(path(`a 'b' "c"`));
      const { stdout } = await exec(
        `[[ a == a ]] && pwd && printf %s "$ODD" && cat <<'E'\n\\a!b%c'd\nE`,
        {
          cwd: path(`a 'b' "c"`),
          env: { ODD: odd },
        },
      );
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
      await until('child is gone', () => isGone(late.stdout.split('\n')[0]));
      const abort = new AbortController();
      const running = exec(
        'trap "" TERM; sleep 60 & echo $! > pid.tmp; mv pid.tmp pid; wait; sleep 60',
        {
          signal: abort.signal,
        },
      );
      await until('it runs', () => readdirSync(folder()).includes('pid'));
      abort.abort();
      assert.deepEqual((await running).outcome, { kind: 'aborted' });
      await until('child is gone', () => isGone(readFileSync(path('pid'), 'utf8')));
      assert.deepEqual((await exec('touch no', { signal: abort.signal })).outcome, {
        kind: 'aborted',
      });
      assert.ok(!readdirSync(folder()).includes('no'));
    });

    it('does not wait for children that hold the output open', async () => {
      const { stdout, outcome } = await exec('sleep 30 & echo $!');
      await exec(`kill -KILL ${stdout}`);
      assert.deepEqual(outcome, { kind: 'exited', code: 0 });
    });

    it('says what is wrong when a command cannot be run', async () => {
      await assert.rejects(exec('true', { cwd: path('no') }), {
        reason: 'missing',
        message: /no folder/,
      });
      await assert.rejects(exec(`true ${'x'.repeat(3_000_000)}`), {
        reason: 'io',
        message: /Write it to a file/,
      });
    });

    it('starts processes that stay, in a session of their own', async () => {
      const argv = [
        '/bin/sh',
        '-c',
        `read -r _ _ _ _ _ sid _ < ${procFolder}/$$/stat; echo "$A $sid $$" > "$1.tmp"; mv "$1.tmp" "$1"; sleep 60`,
        'sh',
        'o',
      ];
      await machine().spawnDetached(argv, { cwd: folder(), env: { A: 'b c' } });
      await until('it runs', () => readdirSync(folder()).includes('o'));
      const [, sid, pid] =
        /^b c\s+(\d+)\s+(\d+)$/.exec(readFileSync(path('o'), 'utf8').trim()) ?? [];
      assert.equal(sid, pid);
      await exec(`kill -KILL -- -${pid}`);
      await assert.rejects(machine().spawnDetached(['/no/such'], { cwd: folder(), env: {} }), {
        reason: 'io',
      });
      await assert.rejects(machine().spawnDetached(['true'], { cwd: path('no'), env: {} }), {
        reason: 'missing',
      });
    });

    it('makes a private file and its folders for their owner alone', async () => {
      const modeOf = (name: string): number => statSync(path(name)).mode & 0o777;
      const write = (name: string): Promise<void> =>
        machine().writeFile(path(name), Buffer.from('x'), { isPrivate: true });
      const umask = process.umask(0);
      try {
        await write('p/q/new');
        assert.deepEqual(['p', 'p/q', 'p/q/new'].map(modeOf), [0o700, 0o700, 0o600]);
        writeFileSync(path('p/q/there'), '', { mode: 0o750 });
        await write('p/q/there');
        assert.equal(modeOf('p/q/there'), 0o750);
        await machine().writeFile(path('p/q/plain'), Buffer.from('x'));
        assert.notEqual(modeOf('p/q/plain') & 0o044, 0);
      } finally {
        process.umask(umask);
      }
    });

    it('writes, makes parent folders, appends, reads whole files and ranges of any bytes', async () => {
      const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
      await machine().writeFile(path("a/b/it's.bin"), bytes);
      assert.ok(bytes.equals(readFileSync(path("a/b/it's.bin"))));
      assert.ok(bytes.equals(await machine().readFile(path("a/b/it's.bin"))));
      const range = await machine().readFile(path("a/b/it's.bin"), {
        offset: 199_990,
        maxBytes: 100,
      });
      assert.ok(bytes.subarray(199_990).equals(range));
      await machine().appendFile(path("a/b/it's.bin"), Buffer.from('!'));
      await machine().appendFile(path('a/new'), Buffer.from('n'));
      assert.equal((await machine().stat(path("a/b/it's.bin")))?.sizeBytes, 200_001);
      assert.deepEqual(readdirSync(path('a/b')), ["it's.bin"]);
      assert.equal(readFileSync(path('a/new'), 'utf8'), 'n');
      assert.match(
        Buffer.from(await machine().readFile(`${procFolder}/self/stat`)).toString(),
        /^\d+ \(/,
      );
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

    needs('linux')(
      'writes nothing through a link that took the place of a judged path',
      async () => {
        const realFolder = realpathSync(folder());
        const realPath = join(realFolder, 'folder/f');
        mkdirSync(path('folder'));
        mkdirSync(path('outside'));
        writeFileSync(path('outside/f'), 'of the user');
        const [write, append] = [machine().writeFile, machine().appendFile].map(
          (method) => (): Promise<void> =>
            method.call(machine(), path('folder/f'), Buffer.from('x'), { realPath }),
        );
        await write?.();
        await append?.();
        assert.equal(readFileSync(path('folder/f'), 'utf8'), 'xx');
        renameSync(path('folder'), path('before'));
        symlinkSync('outside', path('folder'));
        for (const change of [write, append])
          await assert.rejects(async () => change?.(), {
            reason: 'denied',
            message: /a link took/,
          });
        unlinkSync(path('folder'));
        mkdirSync(path('folder'));
        symlinkSync('../outside/f', path('folder/f'));
        await write?.().catch(() => undefined);
        await append?.().catch(() => undefined);
        assert.equal(readFileSync(path('outside/f'), 'utf8'), 'of the user');
        assert.deepEqual(readdirSync(path('outside')), ['f']);
      },
    );

    it('names the reason of each failure of a file', async () => {
      mkdirSync(path('dir'));
      writeFileSync(path('locked'), 'x');
      chmodSync(path('locked'), 0o444);
      symlinkSync('/dev/full', path('full'));
      const text = Buffer.from('y');
      await assert.rejects(machine().readFile(path('no')), { reason: 'missing' });
      await assert.rejects(machine().readFile(path('locked/below')), { reason: 'missing' });
      await assert.rejects(machine().readFile(path('dir')), {
        reason: 'io',
        message: /it is a folder/,
      });
      await assert.rejects(machine().writeFile(path('dir'), text), {
        reason: 'io',
        message: /it is a folder/,
      });
      await assert.rejects(machine().writeFile(path('locked'), text), {
        reason: 'denied',
        message: /read-only/,
      });
      await assert.rejects(machine().writeFile(path('locked/below'), text), {
        reason: /missing|io/,
      });
      await assert.rejects(machine().appendFile(path('full'), text), { reason: 'no_space' });
      await assert.rejects(machine().writeFile(path('full'), text), {
        reason: 'denied',
        message: /not a regular file/,
      });
      assert.equal(readFileSync(path('locked'), 'utf8'), 'x');
      assert.equal(await machine().stat(path('no')), undefined);
      assert.equal((await machine().stat(path('dir')))?.isDirectory, true);
    });

    it('reads regular files only, and waits for no pipe', async () => {
      execFileSync('mkfifo', [path('pipe')]);
      symlinkSync('pipe', path('link'));
      writeFileSync(path('f'), 'text');
      const server = createServer().listen(path('socket'));
      await once(server, 'listening');
      try {
        const range = { offset: 0, maxBytes: 100 };
        const refused = {
          reason: 'denied',
          message: /^Cannot read \S+: it is not a regular file\.$/,
        };
        const names = ['pipe', 'pipe', 'link', 'link', 'pipe', 'socket'].map(path);
        for (const file of [...names, '/dev/zero', '/dev/null']) {
          await assert.rejects(machine().readFile(file, range), refused);
          await assert.rejects(machine().readFile(file), refused);
        }
        await assert.rejects(machine().appendFile(path('pipe'), Buffer.from('x')), {
          reason: 'denied',
          message: /^Cannot append to \S+: it is not a regular file\.$/,
        });
        assert.equal(Buffer.from(await machine().readFile(path('f'))).toString(), 'text');
      } finally {
        server.close();
      }
    });

    const stream = (command: string, options: Partial<StreamOptions> = {}) => {
      const read: Uint8Array[] = [];
      const ended = machine().stream(command, {
        cwd: folder(),
        onStdout: (bytes) => void read.push(bytes),
        ...options,
      });
      return { ended, text: () => Buffer.concat(read).toString('latin1') };
    };

    it('streams both ways, and tells how the command ended', async () => {
      const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256));
      const { ended, text } = stream('pwd >&2; cat; exit 3', { stdin: piecesOf(bytes) });
      const { outcome, stderr } = await ended;
      assert.deepEqual([outcome, stderr], [{ kind: 'exited', code: 3 }, `${folder()}\n`]);
      assert.ok(bytes.equals(Buffer.from(text(), 'latin1')));
      const none = stream('cat; kill -KILL $$');
      assert.deepEqual(
        [(await none.ended).outcome, none.text()],
        [{ kind: 'signalled', signal: 'KILL' }, ''],
      );
      await assert.rejects(stream('true', { cwd: path('no') }).ended, { reason: 'missing' });
    });

    it('takes no more from a source than a slow command reads', async () => {
      let takenBytes = 0;
      let isReturned = false;
      const source = async function* () {
        try {
          for (const piece = Buffer.alloc(1 << 16); ; takenBytes += piece.length) {
            await Promise.resolve();
            yield piece;
          }
        } finally {
          isReturned = true;
        }
      };
      const { ended } = stream(
        'head -c 1 >/dev/null; : > begun; while [ ! -e go ]; do sleep 0.02; done',
        {
          stdin: source(),
        },
      );
      await until('it began', () => readdirSync(folder()).includes('begun'));
      let before = -1;
      await until('no more is taken', async () => {
        const isStill = takenBytes === before;
        before = takenBytes;
        await exec('sleep 0.1');
        return isStill && takenBytes === before;
      });
      assert.ok(takenBytes > 0 && takenBytes < 12 * 2 ** 20, `${takenBytes} bytes are on the way`);
      writeFileSync(path('go'), '');
      // It ends before it has read all, and the source is let go of.
      assert.deepEqual((await ended).outcome, { kind: 'exited', code: 0 });
      await until('the source is let go of', () => isReturned);
    });

    it('reads no more than is taken, and all of it, however late', async () => {
      const taking: (() => void)[] = [];
      let readBytes = 0;
      const { ended } = stream('head -c 40000000 /dev/zero; : > all', {
        onStdout: (bytes) => {
          readBytes += bytes.length;
          return readBytes > 30_000_000
            ? undefined
            : new Promise((resolve) => taking.push(resolve));
        },
      });
      await until('it is read', () => taking.length > 0);
      await exec('sleep 0.5');
      assert.equal(taking.length, 1, 'nothing more comes before the first piece is taken');
      assert.ok(!readdirSync(folder()).includes('all'), 'the command waits');
      const taken = setInterval(() => taking.shift()?.(), 1);
      const { outcome } = await ended.finally(() => clearInterval(taken));
      assert.deepEqual([outcome, readBytes], [{ kind: 'exited', code: 0 }, 40_000_000]);
    });

    it('gives what a command left behind to a reader that is slower than its end', async () => {
      const taken = Promise.withResolvers<void>();
      const pieces: number[] = [];
      const wait = 'while [ ! -e go ]; do sleep 0.02; done';
      const { ended } = stream(`printf first; ${wait}; head -c 60000 /dev/zero; : > over`, {
        onStdout: (bytes) => (pieces.push(bytes.length) === 1 ? taken.promise : undefined),
      });
      await until('it began', () => pieces.length > 0);
      writeFileSync(path('go'), '');
      await until('it is over', () => existsSync(path('over')));
      // What ends later is heard of later.
      for (let time = 0; time < 2; time += 1) await exec('true');
      assert.deepEqual(pieces, [5], 'nothing more comes before the first piece is taken');
      taken.resolve();
      const { outcome } = await ended;
      const readBytes = pieces.reduce((sum, bytes) => sum + bytes);
      assert.deepEqual([outcome, readBytes], [{ kind: 'exited', code: 0 }, 60_005]);
    });

    it('ends the command on an abort, also while its output or its input is held', async () => {
      const abort = new AbortController();
      const held = stream('echo $$ > pid; exec yes', {
        onStdout: () => new Promise(() => undefined),
        stdin: silent(),
        signal: abort.signal,
      });
      await until(
        'it runs',
        () => existsSync(path('pid')) && readFileSync(path('pid'), 'utf8') !== '',
      );
      abort.abort();
      assert.deepEqual((await held.ended).outcome, { kind: 'aborted' });
      await until('it is gone', () => isGone(readFileSync(path('pid'), 'utf8')));
      const late = stream('touch no', { signal: abort.signal });
      assert.deepEqual((await late.ended).outcome, { kind: 'aborted' });
      assert.ok(!readdirSync(folder()).includes('no'));
    });

    it('ends the command when the source or the reader throws, and never lets half an input pass for whole', async () => {
      const source = async function* () {
        yield Buffer.from('half');
        await until('it is there', () => existsSync(path('begun')));
        throw new Error('the source broke');
      };
      const half = stream(': > begun; cat > half && touch whole; sleep 60', { stdin: source() });
      await assert.rejects(half.ended, { message: 'the source broke' });
      assert.ok(!existsSync(path('whole')));
      const reader = stream('echo $$; exec sleep 60', {
        onStdout: () => {
          throw new Error('the reader broke');
        },
      });
      await assert.rejects(reader.ended, { message: 'the reader broke' });
      const later = stream('echo $$; exec sleep 60', {
        onStdout: () => Promise.reject(new Error('it broke later')),
      });
      await assert.rejects(later.ended, { message: 'it broke later' });
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
        if (part % 5 === 0)
          await Promise.all(followed.flatMap(({ follow }) => [follow.drain(), follow.drain()]));
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

    it('answers queries in order, every character of them, each as if it were alone', async () => {
      const odd = `it's "odd" \\n \\\\ $HOME \`x\` !1 % ä😀\tend\n\n next  \n\n`;
      const seen: number[] = [];
      const ask = (script: string, index: number): Promise<string> =>
        machine()
          .query(script)
          .finally(() => seen.push(index));
      const scripts = [
        `printf %s ${shellQuote(odd)}`,
        'x=1; cd /tmp; set -e; exec 2>&1; exit 3',
        'printf %s "$x$(cat)"; echo no >&2; false',
        'seq 1 400000 | head -c 2688894',
        'f() {\n  printf "a\\nb"\n}\nf # comment',
      ];
      const answers = await Promise.all(scripts.map(ask));
      assert.deepEqual(answers.slice(0, 3), [odd, '', '']);
      assert.equal(answers[3]?.length, 2_688_894);
      assert.equal(answers[4], 'a\nb');
      assert.deepEqual(seen, [0, 1, 2, 3, 4]);
    });

    it('ends a query that takes too long or prints too much, and answers those behind it', async () => {
      const first = machine().query(`sleep 60 & echo $! >${path('pid')}; wait`, { timeoutMs: 400 });
      const endless = machine().query('yes');
      const good = [1, 2, 3].map((number) => machine().query(`printf ${number}`));
      await assert.rejects(first, { reason: 'timeout', message: /within 400 ms/ });
      await until('what it ran is gone', () => isGone(readFileSync(path('pid'), 'utf8')));
      await assert.rejects(endless, { reason: 'io', message: /longer than 4 MiB\. Ask for less/ });
      assert.deepEqual(await Promise.all(good), ['1', '2', '3']);
    });
  });
}
