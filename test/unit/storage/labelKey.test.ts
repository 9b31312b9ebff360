import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { labelKey } from '../../../src/storage/labelKey.ts';
import { assertMode } from '../../fakes/modes.ts';

describe('labelKey', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-key-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const file = () => path.join(folder, 'label-key');

  it('is the same for all who ask, also at the same time, and only for the user', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => labelKey(file())));
    const later = await labelKey(file());
    for (const key of keys) assert.deepEqual(Buffer.from(key), Buffer.from(later));
    assert.equal(later.length, 32);
    assertMode(file(), 0o600);
    assert.deepEqual(await readdir(folder), ['label-key']);
  });

  it('is another one where the file cannot be used', async () => {
    await writeFile(file(), 'not a key', { mode: 0o600 });
    const [one, other] = [await labelKey(file()), await labelKey(file())];
    assert.notDeepEqual(one, other);
    assert.equal((await labelKey(path.join(folder, 'missing', 'x'))).length, 32);
  });
});
