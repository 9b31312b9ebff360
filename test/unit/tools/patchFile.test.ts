import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { patchFile } from '../../../src/tools/files/patchFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { call, localOnly } from './machineTools.harness.ts';

describe('patch_file', () => {
  const folder = scratchFolder();
  const path = (): string => join(folder(), 'f');
  const patch = (old: string, replacement: string) =>
    call(patchFile({ machines: localOnly(folder()) }), {
      path: 'f',
      old_string: old,
      new_string: replacement,
    });

  it('replaces one piece and leaves every other byte alone', async () => {
    const cases: readonly (readonly [
      before: string,
      old: string,
      replacement: string,
      after: string,
    ])[] = [
      ['lr = 1\nn = 2\n', 'lr = 1', 'lr = 3', 'lr = 3\nn = 2\n'],
      ['pid=X', 'X', "$$ $& $` $' $1", "pid=$$ $& $` $' $1"],
      ['no newline', 'no', 'still no', 'still no newline'],
      ['a\r\nb\r\nc\r\n', 'b\nc', 'x\ny', 'a\r\nx\r\ny\r\n'],
      ['a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
      ['a\r\nb\nc\r\nd', 'c\nd', 'x\ny', 'a\r\nb\nx\r\ny'],
      ['a\r\nb\nc', 'b\nc', 'x\ny', 'a\r\nx\ny'],
      ['delete me', ' me', '', 'delete'],
      ['\uFEFFbom ä', 'ä', 'ö', '\uFEFFbom ö'],
    ];
    for (const [before, old, replacement, after] of cases) {
      writeFileSync(path(), before);
      await patch(old, replacement);
      assert.equal(readFileSync(path(), 'utf8'), after);
    }
  });

  it('keeps bytes that are no text', async () => {
    writeFileSync(path(), Buffer.from([0xff, 0x61, 0x00, 0xfe]));
    await patch('a', 'b');
    assert.deepEqual([...readFileSync(path())], [0xff, 0x62, 0x00, 0xfe]);
  });

  it('patches large files, names the line and keeps the mode', async () => {
    writeFileSync(path(), `${'line\n'.repeat(400_000)}last`, { mode: 0o755 });
    const result = await patch('last', 'end');
    assert.deepEqual(result.content, { patched: path(), line: 400_001 });
    assert.deepEqual(result.changedFiles, [path()]);
    assert.equal(statSync(path()).size, 2_000_003);
    assert.equal(statSync(path()).mode & 0o777, 0o755);
  });

  it('refuses what is not there exactly once', async () => {
    writeFileSync(path(), 'aaa b');
    await assert.rejects(patch('aa', 'x'), /2 times/);
    await assert.rejects(patch('B', 'x'), /not in .*Read the file again/);
    await assert.rejects(patch('b', 'b'), /nothing to change/);
    assert.equal(readFileSync(path(), 'utf8'), 'aaa b');
  });

  it('reports files that it cannot patch', async () => {
    await assert.rejects(patch('a', 'b'), /no file .*write_file/);
    writeFileSync(path(), 'a');
    chmodSync(path(), 0o444);
    await assert.rejects(patch('a', 'b'), /read-only/);
    chmodSync(path(), 0o644);
    truncateSync(path(), 51 * 1024 * 1024);
    await assert.rejects(patch('a', 'b'), /at most 50 MiB/);
  });
});
