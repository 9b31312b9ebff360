import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { AttachmentFiles } from '../../../src/storage/attachmentFiles.ts';
import { onFlush } from '../../fakes/flushes.ts';
import { assertMode } from '../../fakes/modes.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const bytes = Buffer.from('89504e470d0a1a0a00ff', 'hex');
const hash = createHash('sha256').update(bytes).digest('hex');

describe('files of attachments', () => {
  const folder = scratchFolder();
  const place = (): string => path.join(folder(), 'deep', 'attachments');
  const files = (): AttachmentFiles => new AttachmentFiles(place());

  it('are named by what is in them and what that is, and are for their owner alone', async () => {
    const kept = await files().keep(bytes, 'image/png');
    assert.deepEqual(kept, { hash, mediaType: 'image/png', sizeBytes: bytes.length });
    assert.equal(files().pathOf(kept), path.join(place(), `${hash}.png`));
    assert.deepEqual(readFileSync(files().pathOf(kept)), bytes);
    assertMode(files().pathOf(kept), 0o600);
    assert.deepEqual(await files().read(kept), bytes);
    const names = [
      'image/jpeg',
      'image/gif',
      'image/webp',
      'application/pdf',
      'text/plain',
      '../x',
      'constructor',
    ];
    assert.deepEqual(
      names.map((mediaType) => path.extname(files().pathOf({ hash, mediaType }))),
      ['.jpg', '.gif', '.webp', '.pdf', '.txt', '.bin', '.bin'],
    );
  });

  it('are on the disk before they are said to be, and once for the same bytes', async () => {
    let flushes = 0;
    const restore = await onFlush(() => void (flushes += 1));
    try {
      await files().keep(bytes, 'image/png');
      assert.equal(flushes, 1);
      await files().keep(bytes, 'image/png');
      assert.equal(flushes, 1);
    } finally {
      restore();
    }
    assert.deepEqual(readdirSync(place()), [`${hash}.png`]);
  });

  it('are written anew where what is there is damaged', async () => {
    const kept = await files().keep(bytes, 'image/png');
    writeFileSync(files().pathOf(kept), bytes.subarray(1));
    assert.equal(await files().read(kept), undefined);
    await files().keep(bytes, 'image/png');
    assert.deepEqual(await files().read(kept), bytes);
  });

  it('are told to be missing, whatever is in their place', async () => {
    const kept = await files().keep(bytes, 'image/png');
    const file = files().pathOf(kept);
    rmSync(file);
    assert.equal(await files().read(kept), undefined);
    mkdirSync(file);
    assert.equal(await files().read(kept), undefined);
    rmSync(place(), { recursive: true });
    writeFileSync(place(), 'a file where the folder should be');
    assert.equal(await files().read(kept), undefined);
    await assert.rejects(files().keep(bytes, 'image/png'), { name: 'Error', reason: 'io' });
  });

  it('are nothing else that a damaged journal may name', async () => {
    const outside = path.join(folder(), 'outside.bin');
    writeFileSync(outside, bytes);
    for (const name of ['../../outside', outside.slice(0, -4), '', undefined as unknown as string])
      assert.equal(await files().read({ hash: name, mediaType: 'x' }), undefined, name);
  });
});
