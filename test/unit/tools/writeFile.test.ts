import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { ToolFailure } from '../../../src/base/errors.ts';
import { writeFile } from '../../../src/tools/files/writeFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { call, localOnly } from './machineTools.harness.ts';

describe('write_file', () => {
  const folder = scratchFolder();
  const tool = () => writeFile({ machines: localOnly(folder()) });
  const read = (name: string): string => readFileSync(join(folder(), name), 'utf8');

  it('writes exactly what it was given, in new folders too, and says which file changed', async () => {
    const result = await call(tool(), { path: 'a/train.py', content: 'print("$HOME")\nEOF' });
    const path = join(folder(), 'a/train.py');
    assert.deepEqual(result.content, { written: path, lines: 2, bytes: 18 });
    assert.deepEqual(result.changedFiles, [path]);
    assert.equal(read('a/train.py'), 'print("$HOME")\nEOF');
  });

  it('appends', async () => {
    await call(tool(), { path: 'log', content: 'a\n' });
    await call(tool(), { path: 'log', content: 'b\n', append: true });
    assert.equal(read('log'), 'a\nb\n');
  });

  it('writes contents that no command line could hold', async () => {
    await call(tool(), { path: 'big', content: 'x'.repeat(5_000_000) });
    assert.equal(read('big').length, 5_000_000);
  });

  it('reports a failed write as a failure', async () => {
    writeFileSync(join(folder(), 'locked'), 'old');
    chmodSync(join(folder(), 'locked'), 0o444);
    await assert.rejects(call(tool(), { path: 'locked', content: 'new' }), (error) => {
      assert.ok(error instanceof ToolFailure);
      assert.match(error.message, /read-only/);
      return true;
    });
    await assert.rejects(call(tool(), { path: '/proc/version', content: 'new' }), ToolFailure);
    await assert.rejects(call(tool(), { path: '.', content: 'new' }), /it is a folder/);
    assert.equal(read('locked'), 'old');
  });
});
