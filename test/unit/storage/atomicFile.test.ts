import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { StorageFailure } from '../../../src/storage/storageFailure.ts';
import { onFlush } from '../../fakes/flushes.ts';
import { assertMode } from '../../fakes/modes.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('replacing a file', () => {
  const scratch = scratchFolder();

  it('flushes the new content before it takes the place of the old', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, 'old');
    const seen: string[][] = [];
    const restore = await onFlush(() => {
      seen.push(
        readdirSync(scratch())
          .map((name) => readFileSync(join(scratch(), name), 'utf8'))
          .sort(),
      );
    });
    await writeFileAtomic(file, 'new').finally(restore);
    assert.deepEqual(seen, [['new', 'old']]);
    assert.deepEqual(readdirSync(scratch()), ['file']);
    assert.equal(readFileSync(file, 'utf8'), 'new');
  });

  it('makes the folders above it, and gives the file the mode that was asked for', async () => {
    const file = join(scratch(), 'a/b/file');
    await writeFileAtomic(file, new Uint8Array([1, 2]), 0o600);
    assert.deepEqual([...readFileSync(file)], [1, 2]);
    assertMode(file, 0o600);
  });

  it('leaves nothing behind where it fails', async () => {
    mkdirSync(join(scratch(), 'folder/full'), { recursive: true });
    await assert.rejects(writeFileAtomic(join(scratch(), 'folder'), 'x'), StorageFailure);
    assert.deepEqual(readdirSync(scratch()), ['folder']);
    const restore = await onFlush(() => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    });
    const file = join(scratch(), 'file');
    writeFileSync(file, 'old');
    await assert.rejects(writeFileAtomic(file, 'new').finally(restore), { reason: 'no_space' });
    assert.deepEqual(readdirSync(scratch()), ['file', 'folder']);
    assert.equal(readFileSync(file, 'utf8'), 'old');
  });
});
