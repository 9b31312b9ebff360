import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { localArchive } from '../../../../src/machines/transfer/localSource.ts';
import { localSystem } from '../../../../src/machines/transfer/openFolder.ts';
import type { Entry } from '../../../../src/machines/transfer/tree.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

const entry = (kind: Entry['kind'], sizeBytes: number, mode = 0o644): Entry => ({
  ...{ kind, sizeBytes, mode },
  modified: '1700000000.123456789',
});

describe('an archive of files of this computer', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);

  async function archive(items: readonly (readonly [string, Entry])[], isPlain = false) {
    const pieces: Uint8Array[] = [];
    const ended = await localArchive({ system: localSystem, root: path('root'), items, isPlain })(
      (bytes) => void pieces.push(bytes),
      new AbortController().signal,
    );
    return { bytes: Buffer.concat(pieces), ended };
  }

  for (const [tar, isPlain] of [
    [['tar'], false],
    [['tar'], true],
    [['busybox', 'tar'], true],
  ] as const)
    it(`is read by ${tar.join(' ')}${isPlain ? ' without exact times' : ''}`, async () => {
      const long = `${'x'.repeat(99)}/${'y'.repeat(200)}`;
      const sizes = { a: 0, b: 511, c: 512, '-d ': 513, [long]: 600_000, '\xff\xfe': 3 };
      const items = Object.entries(sizes).map(([name, size]) => {
        const bytes = Buffer.from(`${path('root')}/${name}`, 'latin1');
        fs.mkdirSync(join(path('root'), name, '..'), { recursive: true });
        fs.writeFileSync(bytes, Buffer.alloc(size, name));
        return [name, entry('file', size, 0o4750)] as const;
      });
      fs.mkdirSync(path('out'));
      const { bytes, ended } = await archive(
        [...items, ['x'.repeat(99), entry('folder', 7, 0o700)]],
        isPlain,
      );
      assert.deepEqual(ended, { code: 0, stderr: '' });
      execFileSync(tar[0], [...tar.slice(1), '-xpf', '-'], { cwd: path('out'), input: bytes });
      for (const [name, size] of Object.entries(sizes)) {
        const out = Buffer.from(`${path('out')}/${name}`, 'latin1');
        assert.ok(fs.readFileSync(out).equals(Buffer.alloc(size, name)));
        const { mode, mtimeNs } = fs.statSync(out, { bigint: true });
        assert.equal(Number(mode) & 0o7777, 0o750, 'without the setuid bit');
        assert.equal(mtimeNs, isPlain ? 1_700_000_000_000_000_000n : 1_700_000_000_123_456_789n);
      }
      const made = fs.statSync(path(`out/${'x'.repeat(99)}`));
      assert.deepEqual(
        [made.mode & 0o777, made.mtimeMs],
        [0o700, isPlain ? 1_700_000_000_000 : 1_700_000_000_123.4568],
      );
    });

  it('has nothing that a link leads to, and says so', async () => {
    fs.mkdirSync(path('root/real'), { recursive: true });
    fs.mkdirSync(path('victim/deep'), { recursive: true });
    fs.writeFileSync(path('victim/f'), 'SECRET');
    fs.writeFileSync(path('victim/deep/f'), 'SECRET');
    fs.writeFileSync(path('root/real/f'), 'own');
    fs.symlinkSync('../victim', path('root/swapped'));
    fs.symlinkSync('../../victim/f', path('root/real/link'));
    execFileSync('mkfifo', [path('root/real/pipe')]);
    const { bytes, ended } = await archive(
      ['swapped/f', 'swapped/deep/f', 'real/link', 'real/pipe', 'real/gone', 'real/f'].map(
        (name) => [name, entry('file', 6)],
      ),
    );
    assert.equal(bytes.includes('SECRET'), false);
    assert.equal(bytes.includes('own'), true);
    assert.equal(ended?.code, 1);
    assert.equal(ended.stderr.split('\n').length, 5);
  });

  it('fills a file that became shorter, so that the next file is whole', async () => {
    fs.mkdirSync(path('root'));
    fs.writeFileSync(path('root/a'), 'short');
    fs.writeFileSync(path('root/b'), 'next');
    const { bytes } = await archive([
      ['a', entry('file', 2000)],
      ['b', entry('file', 4)],
    ]);
    const out = execFileSync('tar', ['-xOf', '-', './b'], { input: bytes });
    assert.equal(String(out), 'next');
  });
});
