import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { homeAt } from '../../../src/storage/home.ts';
import { memoryFolders } from '../../../src/storage/memoryFolders.ts';
import { GitRepo } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the folder of the notes of a project', () => {
  const folder = scratchFolder();
  const at = (name: string): string => path.join(folder(), name);
  const notesOf = (workFolder: string): string =>
    memoryFolders(homeAt('/home/ada/.helios')).project(workFolder);

  it('is the same for a repository, its folders, its worktrees and links to it', () => {
    const repo = GitRepo.create(at('repo'), { 'src/a.py': 'x' });
    repo.git('worktree', 'add', '-q', at('tree'));
    symlinkSync(repo.folder, at('link'), 'junction');
    const own = notesOf(repo.folder);
    assert.match(
      own.replaceAll(path.sep, '/'),
      /^\/home\/ada\/\.helios\/projects\/repo-[0-9a-f]{12}\/memory$/,
    );
    for (const same of [path.join(repo.folder, 'src'), at('tree'), at('link'), at('link/src')])
      assert.equal(notesOf(same), own, same);
  });

  it('is another for another repository, also within one, and for a folder without one', () => {
    GitRepo.create(at('repo'), { 'a.py': 'x' });
    GitRepo.create(at('repo/inner'), { 'a.py': 'x' });
    mkdirSync(at('plain/deep'), { recursive: true });
    const places = ['repo', 'repo/inner', 'plain', 'plain/deep', 'missing'].map(at);
    assert.equal(new Set(places.map(notesOf)).size, places.length);
  });
});
