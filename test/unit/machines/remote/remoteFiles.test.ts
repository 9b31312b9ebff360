import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { adviceOf } from '../../../../src/base/errors.ts';
import { shellQuote } from '../../../../src/base/text.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { ExecOutcome } from '../../../../src/machines/machine.ts';
import {
  appendThroughShell,
  readThroughShell,
  remoteFileFailure,
  statThroughShell,
  writeThroughShell,
  type RunScript,
} from '../../../../src/machines/remote/remoteFiles.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('files through a shell', () => {
  const folder = scratchFolder();
  const file = (name: string): string => path.join(folder(), name);
  /** The real shell, which is given `change` of the content. */
  const given =
    (change: (content: Uint8Array) => Uint8Array): RunScript =>
    async (script, { stdin } = {}) => {
      const machine = new LocalMachine({ runsFolder: '/nowhere', workFolder: '/' });
      const result = await machine.exec(
        `exec /bin/sh -c ${shellQuote(script)}`,
        stdin && { stdin: change(stdin) },
      );
      return { ...result, stdout: Buffer.from(result.stdout) };
    };
  const whole = given((content) => content);
  const content = Buffer.from('new content');

  const broken: readonly (readonly [what: string, change: (content: Uint8Array) => Uint8Array])[] =
    [
      ['half of it', (bytes) => bytes.subarray(0, 5)],
      ['nothing of it', () => Buffer.alloc(0)],
      ['more than it', (bytes) => Buffer.concat([bytes, bytes])],
    ];
  for (const [what, change] of broken)
    it(`keep what was there where ${what} arrived, and leave nothing beside it`, async () => {
      writeFileSync(file('f'), 'old');
      const failure = { reason: 'io', message: /its content arrived incomplete/ };
      await assert.rejects(writeThroughShell(given(change), file('f'), content), failure);
      await assert.rejects(appendThroughShell(given(change), file('f'), content), failure);
      await assert.rejects(writeThroughShell(given(change), file('sub/g'), content), failure);
      assert.equal(readFileSync(file('f'), 'utf8'), 'old');
      assert.deepEqual(
        [readdirSync(folder()).sort(), readdirSync(file('sub'))],
        [['f', 'sub'], []],
      );
    });

  it('are written, appended to, read and looked at', async () => {
    await writeThroughShell(whole, file('a/b'), content);
    await appendThroughShell(whole, file('a/b'), Buffer.from('!'));
    assert.equal(String(await readThroughShell(whole, file('a/b'))), 'new content!');
    assert.equal(
      String(await readThroughShell(whole, file('a/b'), { offset: 4, maxBytes: 7 })),
      'content',
    );
    utimesSync(file('a/b'), 1_700_000_000, 1_700_000_000);
    assert.deepEqual(await statThroughShell(whole, file('a/b')), {
      ...{ sizeBytes: 12, modifiedMs: 1_700_000_000_000, isDirectory: false },
    });
    assert.equal((await statThroughShell(whole, file('a')))?.isDirectory, true);
    assert.equal(await statThroughShell(whole, file('none')), undefined);
    mkdirSync(file('dir'));
    await assert.rejects(readThroughShell(whole, file('dir')), {
      reason: 'io',
      message: /it is a folder/,
    });
    assert.deepEqual(readdirSync(file('a')), ['b']);
  });

  for (const [what, target] of [
    ['another file', '../victim'],
    ['a file that is missing', '../missing'],
  ] as const)
    it(`are not written through a link to ${what} that is at the temporary name`, async () => {
      writeFileSync(file('victim'), 'of the user');
      mkdirSync(file('shared'));
      symlinkSync(target, file('shared/.f.known.tmp'));
      const known: RunScript = (script, stdin) =>
        whole(script.replace(/\$\$(?=\.tmp)|[0-9a-f]{12}(?=\.tmp)/, 'known'), stdin);
      const failure = { name: 'Error', message: /Cannot (write|append to) .*shared\/f/ };
      await assert.rejects(writeThroughShell(known, file('shared/f'), content), failure);
      await assert.rejects(appendThroughShell(known, file('shared/f'), content), failure);
      assert.equal(readFileSync(file('victim'), 'utf8'), 'of the user');
      assert.deepEqual(
        [readdirSync(folder()).sort(), readdirSync(file('shared'))],
        [['shared', 'victim'], ['.f.known.tmp']],
      );
    });

  it('have a temporary name that nobody can guess', async () => {
    const scripts: string[] = [];
    const kept: RunScript = (script, stdin) => (scripts.push(script), whole(script, stdin));
    for (let time = 0; time < 2; time++) await writeThroughShell(kept, file('f'), content);
    const names = scripts.map((script) => /[^.]+(?=\.tmp)/.exec(script)?.[0]);
    assert.match(names[0] ?? '', /^[0-9a-f]{12}$/);
    assert.notEqual(names[0], names[1]);
  });

  it('are never pipes or devices, which a read would wait for', async () => {
    execFileSync('mkfifo', [file('pipe')]);
    const refused = { reason: 'denied', message: /it is not a regular file/ };
    for (const name of [file('pipe'), '/dev/zero']) {
      await assert.rejects(readThroughShell(whole, name), refused);
      await assert.rejects(readThroughShell(whole, name, { offset: 1, maxBytes: 7 }), refused);
    }
    await assert.rejects(appendThroughShell(whole, file('pipe'), content), refused);
    await assert.rejects(readThroughShell(whole, file('none')), { reason: 'missing' });
  });

  it('fail where the script was ended, whatever it printed', async () => {
    for (const outcome of [
      { kind: 'signalled', signal: 'KILL' },
      { kind: 'exited', code: 1 },
    ] as const) {
      const run: RunScript = () =>
        Promise.resolve({ outcome: outcome satisfies ExecOutcome, stdout: content, stderr: '' });
      await assert.rejects(readThroughShell(run, '/f'), {
        reason: 'io',
        message: /unknown reason/,
      });
      await assert.rejects(statThroughShell(run, '/f'), { reason: 'io' });
    }
  });

  it('are read whole up to a limit, which the host cannot exceed', async () => {
    const limits: (number | undefined)[] = [];
    const answering = (bytes: number): RunScript => {
      const stdout = Buffer.alloc(bytes);
      return (_script, { maxBytes } = {}) => {
        limits.push(maxBytes);
        return Promise.resolve({ outcome: { kind: 'exited', code: 0 }, stdout, stderr: '' });
      };
    };
    const most = 64 * 2 ** 20;
    assert.equal((await readThroughShell(answering(most), '/f')).length, most);
    await assert.rejects(readThroughShell(answering(most + 1), '/f'), {
      reason: 'io',
      message: 'Cannot read /f: it is larger than 64 MiB. Read it in parts.',
    });
    await readThroughShell(answering(1), '/f', { offset: 5, maxBytes: 7 });
    assert.deepEqual(limits, [most + 1, most + 1, 7]);
  });

  const words: readonly (readonly [said: string, reason: string, told: string])[] = [
    ['sh: 1: cannot open /f: No such file', 'missing', 'it does not exist'],
    ['cat: /proc/1: No such process', 'missing', 'it does not exist'],
    ["stat: cannot statx '/f/g': Not a directory", 'missing', 'a part of the path is not a folder'],
    ['touch: Read-only file system', 'denied', 'the file system is read-only'],
    ['the file is read-only', 'denied', 'the file is read-only'],
    ['it is not a regular file', 'denied', 'it is not a regular file'],
    ['mv: Operation not permitted', 'denied', 'permission denied'],
    ['sh: Permission denied', 'denied', 'permission denied'],
    ['cat: write error: No space left on device', 'no_space', 'no space is left on the disk'],
    ['cat: Disk quota exceeded', 'no_space', 'the disk quota is used up'],
    ['sh: /f: Is a directory', 'io', 'it is a folder'],
    [' mv: I/O error \n', 'io', 'mv: I/O error'],
    ['', 'io', 'unknown reason'],
  ];
  for (const [said, reason, told] of words)
    it(`know ${JSON.stringify(said)} for ${reason}`, () => {
      const failure = remoteFileFailure(said, 'write', '/f');
      assert.deepEqual([failure.reason, adviceOf(failure)], [reason, `Cannot write /f: ${told}.`]);
    });
});
