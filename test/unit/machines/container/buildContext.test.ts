import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { describe, it } from 'mocha';
import { nameIn, readBuildContext } from '../../../../src/machines/container/buildContext.ts';
import { ignoring } from '../../../../src/machines/container/dockerignore.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('the context of a Dockerfile', () => {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder(), name);
  const hash = async (): Promise<string> => (await readBuildContext(path('Dockerfile'))).hash;

  it('is another one when a name, a mode or a content has changed, and only then', async () => {
    writeFileSync(path('Dockerfile'), 'FROM scratch\n');
    writeFileSync(path('.dockerignore'), 'runs\n');
    mkdirSync(path('runs'));
    writeFileSync(path('a'), '1');
    const first = await hash();
    utimesSync(path('a'), 1, 1);
    writeFileSync(path('runs/log'), 'x');
    assert.equal(await hash(), first);
    const seen = new Set([first]);
    for (const change of [
      () => writeFileSync(path('a'), '2'),
      () => chmodSync(path('a'), 0o755),
      () => symlinkSync('a', path('link')),
      () => writeFileSync(path('Dockerfile'), 'FROM other\n'),
    ]) {
      change();
      seen.add(await hash());
    }
    assert.equal(seen.size, 5);
    assert.deepEqual((await readBuildContext(path('Dockerfile'))).files, [
      '.dockerignore',
      'Dockerfile',
      'a',
      'link',
    ]);
  });

  it('has names with slashes on every platform', () => {
    const inFolder = nameIn('C:\\lab', 'C:\\lab\\docker\\Dockerfile', win32);
    assert.equal(inFolder, 'docker/Dockerfile');
    assert.equal(ignoring('docker/*\n')(inFolder), true);
    assert.equal(nameIn('/lab', '/lab/a\\b', posix), 'a\\b');
  });

  it('says what is missing or out of place', async () => {
    await assert.rejects(readBuildContext(path('none/Dockerfile')), {
      reason: 'unreachable',
      message: /build context .* does not exist/,
    });
    await assert.rejects(readBuildContext(path('Dockerfile')), {
      reason: 'unreachable',
      message: /Dockerfile .* does not exist/,
    });
    mkdirSync(path('sub'));
    await assert.rejects(readBuildContext(path('Dockerfile'), path('sub')), {
      message: /not inside/,
    });
  });
});
