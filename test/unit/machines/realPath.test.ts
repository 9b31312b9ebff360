import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { pathFacts, realPath } from '../../../src/machines/realPath.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the real path of a path', () => {
  const scratch = scratchFolder();
  const machine = (shell: readonly string[]) => ({
    query: (script: string): Promise<string> => {
      const [program = '', ...words] = shell;
      const { stdout } = spawnSync(program, [...words, '-c', script], { encoding: 'utf8' });
      return Promise.resolve(stdout);
    },
  });

  for (const shell of [['sh'], ['bash'], ['busybox', 'sh'], ['zsh', '--emulate', 'sh']])
    it(`is found by ${shell.join(' ')}, whatever the paths before it are`, async () => {
      const folder = (name: string): string => path.join(scratch(), name);
      mkdirSync(folder('a b/c'), { recursive: true });
      mkdirSync(folder('line\n'));
      writeFileSync(folder('a b/c/file'), 'x');
      symlinkSync('a b', folder('link'));
      symlinkSync('loop', folder('loop'));
      symlinkSync('gone/../x', folder('bad'));
      symlinkSync('line\n', folder('end'));
      const paths = ['loop', 'bad', 'link/c', 'link/c/file', 'end', 'link/new/file'].map(folder);
      assert.deepEqual(await pathFacts(machine(shell), [...paths, '/']), [
        { kind: 'missing' },
        { kind: 'missing' },
        { real: folder('a b/c'), kind: 'folder' },
        { real: folder('a b/c/file'), kind: 'file' },
        { real: folder('line\n'), kind: 'folder' },
        { real: folder('a b/new/file'), kind: 'missing' },
        { real: '/', kind: 'folder' },
      ]);
      assert.equal(await realPath(machine(shell), folder('link/c')), folder('a b/c'));
      await assert.rejects(realPath(machine(shell), folder('loop')), /it has too many links/);
      await assert.rejects(realPath(machine(shell), folder('bad')), /leads to a missing folder/);
    });
});
