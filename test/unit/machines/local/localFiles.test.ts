import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { procFolder } from '../../../setup/proc.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

describe('files of LocalMachine', () => {
  const folder = scratchFolder();
  const machine = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });
  const path = (name: string): string => join(folder(), name);

  it('writes, makes parent folders, reads whole files and ranges', async () => {
    await machine.writeFile(path('a/b/c.txt'), bytes('0123456789'));
    assert.equal(Buffer.from(await machine.readFile(path('a/b/c.txt'))).toString(), '0123456789');
    const range = await machine.readFile(path('a/b/c.txt'), { offset: 7, maxBytes: 100 });
    assert.equal(Buffer.from(range).toString(), '789');
    await machine.appendFile(path('a/b/c.txt'), bytes('!'));
    assert.equal((await machine.stat(path('a/b/c.txt')))?.sizeBytes, 11);
    assert.deepEqual(readdirSync(path('a/b')), ['c.txt']);
  });

  it('does not read a whole file that is larger than memory should hold', async () => {
    writeFileSync(path('large'), '');
    truncateSync(path('large'), 64 * 2 ** 20 + 1);
    await assert.rejects(machine.readFile(path('large')), {
      reason: 'io',
      message: /larger than 64 MiB\. Read it in parts/,
    });
    const part = await machine.readFile(path('large'), { offset: 64 * 2 ** 20, maxBytes: 9 });
    assert.equal(part.length, 1);
    assert.notEqual((await machine.readFile(`${procFolder}/self/status`)).length, 0);
  });

  it('comes to an end where no folder can be made', async () => {
    for (const write of ['writeFile', 'appendFile'] as const)
      await assert.rejects(machine[write](`${procFolder}/none/a/b`, bytes('x')), {
        reason: 'missing',
      });
  });

  it('keeps the mode and follows links, also one that leads nowhere yet', async () => {
    writeFileSync(path('run.sh'), 'old', { mode: 0o750 });
    symlinkSync('run.sh', path('link'));
    symlinkSync('later.txt', path('dangling'));
    await machine.writeFile(path('link'), bytes('new'));
    await machine.writeFile(path('dangling'), bytes('made'));
    assert.equal(readFileSync(path('run.sh'), 'utf8'), 'new');
    assert.equal(statSync(path('run.sh')).mode & 0o777, 0o750);
    assert.ok(lstatSync(path('link')).isSymbolicLink());
    assert.equal(readFileSync(path('later.txt'), 'utf8'), 'made');
  });

  it('leaves the old content when the disk is full', async () => {
    assert.ok(canMount(path('disk')), 'this test mounts a small disk: run the tests as root');
    try {
      await machine.writeFile(path('disk/f'), bytes('old'));
      await assert.rejects(machine.writeFile(path('disk/f'), Buffer.alloc(1_000_000)), {
        reason: 'no_space',
      });
      assert.equal(readFileSync(path('disk/f'), 'utf8'), 'old');
      assert.deepEqual(readdirSync(path('disk')), ['f']);
    } finally {
      execFileSync('umount', [path('disk')]);
    }
  });

  it('names the reason of each failure', async () => {
    mkdirSync(path('dir'));
    writeFileSync(path('locked'), 'x');
    chmodSync(path('locked'), 0o444);
    symlinkSync('/dev/full', path('full'));
    await assert.rejects(machine.readFile(path('no')), { reason: 'missing' });
    await assert.rejects(machine.readFile(path('locked/below')), { reason: 'missing' });
    await assert.rejects(machine.readFile(path('dir')), {
      reason: 'io',
      message: /it is a folder/,
    });
    await assert.rejects(machine.writeFile(path('dir'), bytes('')), {
      reason: 'io',
      message: /it is a folder/,
    });
    await assert.rejects(machine.writeFile(path('locked'), bytes('y')), {
      reason: 'denied',
      message: /read-only/,
    });
    await assert.rejects(machine.appendFile(path('full'), bytes('y')), { reason: 'no_space' });
    // A device is not replaced by a file.
    await assert.rejects(machine.writeFile(path('full'), bytes('y')), {
      reason: 'denied',
      message: /not a regular file/,
    });
    assert.equal(readFileSync(path('locked'), 'utf8'), 'x');
    assert.equal(await machine.stat(path('no')), undefined);
    assert.equal((await machine.stat(path('dir')))?.isDirectory, true);
  });
});

function canMount(at: string): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    mkdirSync(at);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
