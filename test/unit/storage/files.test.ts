import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { fromJsonLine, toJsonLine } from '../../../src/storage/jsonLine.ts';
import { makeFolder } from '../../../src/storage/makeFolder.ts';
import { writePieces } from '../../../src/compose/newFile.ts';
import { openIfThere } from '../../../src/storage/openIfThere.ts';
import { readSecretFile, secretStore } from '../../../src/storage/secretFiles.ts';
import { isPassing, storageFailure } from '../../../src/storage/storageFailure.ts';
import { assertMode } from '../../fakes/modes.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

async function* pieces(...texts: readonly (string | Error)[]): AsyncGenerator<string> {
  for (const text of texts) {
    await Promise.resolve();
    if (text instanceof Error) throw text;
    yield text;
  }
}

describe('a file that is written piece by piece', () => {
  const scratch = scratchFolder();
  const file = (): string => join(scratch(), 'export.jsonl');

  for (const replaces of [true, false])
    it(`is whole, and its owner's alone, where it ${replaces ? 'may' : 'must not'} take a place`, async () => {
      await writePieces(file(), pieces('a', 'b'), { replaces });
      assert.equal(readFileSync(file(), 'utf8'), 'ab');
      assertMode(file(), 0o600);
      assert.deepEqual(readdirSync(scratch()), ['export.jsonl']);
    });

  it('replaces what is there where it may', async () => {
    writeFileSync(file(), 'old');
    await writePieces(file(), pieces('new'), { replaces: true });
    assert.equal(readFileSync(file(), 'utf8'), 'new');
  });

  it('leaves what is there where it must not', async () => {
    writeFileSync(file(), 'old');
    await assert.rejects(writePieces(file(), pieces('new'), { replaces: false }), UserFacing);
    assert.equal(readFileSync(file(), 'utf8'), 'old');
    assert.deepEqual(readdirSync(scratch()), ['export.jsonl']);
  });

  it('is not there at all where its pieces or the disk fail', async () => {
    const failure = new Error('as it is');
    await assert.rejects(writePieces(file(), pieces('a', failure), { replaces: true }), failure);
    assert.deepEqual(readdirSync(scratch()), []);
    const nowhere = join(scratch(), 'no/folder');
    await assert.rejects(writePieces(nowhere, pieces('a'), { replaces: true }), {
      reason: 'io',
      message: /ENOENT/,
    });
  });
});

describe('a folder that is made', () => {
  const scratch = scratchFolder();

  it('is made with those above it, and may be there', async () => {
    const folder = join(scratch(), 'a/b/c');
    await makeFolder(folder);
    await makeFolder(folder);
    assert.ok(existsSync(folder));
  });

  it('is refused as the system refuses it', async () => {
    writeFileSync(join(scratch(), 'file'), '');
    await assert.rejects(makeFolder(join(scratch(), 'file')), { reason: 'io', message: /EEXIST/ });
  });

  needs('linux')('is refused where the system makes no folders', async () => {
    await assert.rejects(makeFolder('/proc/none/a'), {
      reason: 'io',
      message: /^Cannot write \/proc\/none\/a: ENOENT/,
    });
  });
});

describe('a folder on a file system that is read-only', () => {
  const scratch = scratchFolder();

  needs('linux', 'root')('is refused with that, however deep it is', async () => {
    const disk = join(scratch(), 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', disk]);
    try {
      for (const folder of ['a', 'a/b/c'])
        await assert.rejects(makeFolder(join(disk, folder)), { reason: 'read_only' });
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('secrets in files', () => {
  const scratch = scratchFolder();

  it('are kept for their owner alone, replaced, and forgotten', async () => {
    const folder = join(scratch(), 'home/keys');
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const keep = secretStore(folder);
    await keep('anthropic', 'one');
    await keep('anthropic', 'two');
    const file = join(folder, 'anthropic');
    assertMode(folder, 0o700);
    assertMode(file, 0o600);
    assert.equal(await readSecretFile(file), 'two');
    await keep('anthropic', undefined);
    await keep('anthropic', undefined);
    assert.equal(await readSecretFile(file), undefined);
    const deep = join(scratch(), 'new/keys');
    await secretStore(deep)('openai', 'x');
    assertMode(deep, 0o700);
  });

  needs('posix')('are not read where anybody else could', async () => {
    const file = join(scratch(), 'key');
    writeFileSync(file, ' sk-1 \n');
    for (const mode of [0o640, 0o620, 0o610, 0o604, 0o602, 0o601]) {
      chmodSync(file, mode);
      await assert.rejects(readSecretFile(file), UserFacing, mode.toString(8));
    }
    for (const mode of [0o600, 0o400, 0o700]) {
      chmodSync(file, mode);
      assert.equal(await readSecretFile(file), 'sk-1');
    }
    writeFileSync(file, ' \n');
    assert.equal(await readSecretFile(file), undefined, 'an empty one is none');
    await assert.rejects(readSecretFile(join(file, 'below')), { code: 'ENOTDIR' });
  });
});

describe('a file that may not be there', () => {
  const scratch = scratchFolder();

  it('is opened, or told to be missing', async () => {
    writeFileSync(join(scratch(), 'file'), 'x');
    const handle = await openIfThere(join(scratch(), 'file'));
    assert.equal((await handle?.stat())?.size, 1);
    await handle?.close();
    assert.equal(await openIfThere(join(scratch(), 'none')), undefined);
  });

  needs('posix')('is told from one below a file', async () => {
    writeFileSync(join(scratch(), 'file'), 'x');
    await assert.rejects(openIfThere(join(scratch(), 'file/none')), { code: 'ENOTDIR' });
  });
});

describe('a value in a line of JSON', () => {
  const values: readonly unknown[] = [
    ...[
      NaN,
      Infinity,
      -Infinity,
      0.5,
      'NaN',
      null,
      true,
      [NaN, [1, Infinity]],
      { a: { b: -Infinity } },
    ],
    ...[
      { $number: 1 },
      { $number: 'NaN', more: 1 },
      { $number: null },
      { text: '"$number"', value: NaN },
    ],
  ];
  for (const value of values)
    it(`comes back as it was: ${toJsonLine(value)}`, () => {
      assert.deepEqual(fromJsonLine(toJsonLine(value)), value);
      assert.ok(!toJsonLine(value).includes('\n'));
    });

  it('is refused where it is none', () => {
    for (const line of ['', '{', '{"$number":"NaN"', 'NaN'])
      assert.throws(() => fromJsonLine(line), SyntaxError, line);
  });
});

describe('a failure of storage', () => {
  const reasons: readonly [code: string, reason: string, mayPass: boolean][] = [
    ['ENOSPC', 'no_space', true],
    ['EDQUOT', 'no_space', true],
    ['EACCES', 'denied', false],
    ['EPERM', 'denied', false],
    ['EROFS', 'read_only', true],
    ['EIO', 'io', true],
  ];
  for (const [code, reason, mayPass] of reasons)
    it(`is ${reason} for ${code}, and ${mayPass ? 'may' : 'does not'} pass by itself`, () => {
      const failure = storageFailure(
        Object.assign(new Error(`${code}: no`), { code }),
        '/home/file',
      );
      assert.equal(failure.reason, reason);
      assert.match(failure.message, /\/home\/file/);
      assert.equal(isPassing(failure), mayPass);
    });

  it('does not pass where it is none of storage', () => {
    assert.equal(isPassing(new Error('no')), false);
  });
});
