import assert from 'node:assert/strict';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { makeFolders } from '../../../src/base/folders.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

describe('making folders', () => {
  const scratch = scratchFolder();
  const isFolder = (path: string): boolean => statSync(path).isDirectory();

  it('makes those above, and takes one that is there for made', async () => {
    const deep = join(scratch(), 'a/b/c/d');
    await makeFolders(deep);
    await makeFolders(deep);
    await makeFolders('/');
    await makeFolders('.');
    assert.ok(isFolder(deep));
    symlinkSync(deep, join(scratch(), 'link'), 'junction');
    await makeFolders(join(scratch(), 'link/e'));
    assert.ok(isFolder(join(deep, 'e')));
  });

  it('makes them once, however many want them', async () => {
    const folders = Array.from({ length: 20 }, (_, index) => join(scratch(), `a/b/c/${index % 3}`));
    await Promise.all(folders.map(makeFolders));
    for (const folder of folders) assert.ok(isFolder(folder));
  });

  it('says what is in the way', async () => {
    const file = join(scratch(), 'file');
    writeFileSync(file, '');
    await assert.rejects(makeFolders(file), { code: 'EEXIST' });
    await assert.rejects(makeFolders(join(file, 'below/deep')), {
      code: /^(?:ENOTDIR|EEXIST)$/,
    });
  });

  needs('linux')(
    'comes to an end where the system says for ever that something is missing',
    async () => {
      await assert.rejects(makeFolders('/proc/none'), { code: 'ENOENT' });
      await assert.rejects(makeFolders('/proc/none/a/b'), { code: 'ENOENT' });
    },
  );
});
