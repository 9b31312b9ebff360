import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import { tidyWorktrees } from '../../../../src/experiments/git/tidyWorktrees.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

describe('tidying worktrees', () => {
  const scratch = scratchFolder();
  let repo: GitRepo;
  let machine: LocalMachine;
  beforeEach(() => {
    repo = GitRepo.create(join(scratch(), 'repo'), { 'train.py': 'lr = 1\n', 'sub/a.py': 'a\n' });
    machine = new LocalMachine({
      runsFolder: join(scratch(), 'helios/runs'),
      workFolder: repo.folder,
    });
  });
  const branch = async (name: string): Promise<GitRepo> => {
    const worktrees = new Worktrees({ sessionId, clock: systemClock });
    const { path } = await worktrees.branch({ machine, folder: repo.folder, name });
    return new GitRepo(path);
  };
  const refs = (): number =>
    repo.git('for-each-ref', 'refs/helios').split('\n').filter(Boolean).length;

  it('keeps every ref of a session that is removed while one of its worktrees stays', async () => {
    const [clean, dirty] = [await branch('clean'), await branch('dirty')];
    dirty.write({ 'train.py': 'not committed\n' });
    const request = { machine, sessionId, clock: systemClock, repos: [repo.folder] };
    const { removed, kept } = await tidyWorktrees(request);
    assert.deepEqual(removed, [clean.folder]);
    assert.deepEqual(kept, [{ path: dirty.folder, why: '1 file is not committed there' }]);
    assert.equal(refs(), 2);
    assert.equal(readFileSync(join(dirty.folder, 'train.py'), 'utf8'), 'not committed\n');
    dirty.git('checkout', '-q', '--', '.');
    assert.deepEqual(await tidyWorktrees(request), { removed: [dirty.folder], kept: [] });
    assert.equal(refs(), 0);
    assert.equal(existsSync(join(dirty.folder, '..')), false);
  });

  /** What git was told not to look at, a new file, a staged one, and a repository inside. */
  const changes: Readonly<Record<string, (tree: GitRepo) => void>> = {
    'a file that git is told to take for unchanged'(tree) {
      tree.git('update-index', '--assume-unchanged', 'train.py');
      tree.write({ 'train.py': 'lr = 2\n' });
    },
    'a file that git is told to skip'(tree) {
      tree.git('update-index', '--skip-worktree', 'train.py');
      tree.write({ 'train.py': 'lr = 2\n' });
    },
    'a file that is new'(tree) {
      tree.write({ 'new.py': 'x\n' });
    },
    'a file that is gone'(tree) {
      rmSync(join(tree.folder, 'train.py'));
    },
    'a change that is staged, and taken back in the folder'(tree) {
      tree.write({ 'train.py': 'lr = 2\n' });
      tree.git('add', 'train.py');
      tree.write({ 'train.py': 'lr = 1\n' });
    },
    'a repository of its own'(tree) {
      GitRepo.create(join(tree.folder, 'inner'));
    },
  };
  for (const [what, change] of Object.entries(changes))
    it(`lets a worktree stay for ${what}`, async () => {
      const tree = await branch('a');
      change(tree);
      const { removed, kept } = await tidyWorktrees({ machine, sessionId, clock: systemClock });
      assert.deepEqual(removed, []);
      assert.deepEqual(kept, [{ path: tree.folder, why: '1 file is not committed there' }]);
      assert.ok(existsSync(join(tree.folder, '.git')));
    });

  it('removes no folder among them that is no worktree of ours', async () => {
    const tree = await branch('a');
    const mine = join(tree.folder, '../mine');
    repo.git('worktree', 'add', '-q', '--detach', mine);
    mkdirSync(join(tree.folder, '../plain'));
    const { removed, kept } = await tidyWorktrees({
      machine,
      sessionId,
      clock: systemClock,
      repos: [],
    });
    assert.deepEqual(removed, [tree.folder]);
    assert.equal(kept.length, 2);
    assert.ok(existsSync(join(mine, 'train.py')));
    assert.equal(refs(), 1);
  });

  it('drops the refs of a session whose repository is gone in one place, and there in another', async () => {
    await new ExperimentCodeStore({ sessionId, clock: systemClock }).capture(
      machine,
      repo.folder,
      'e1',
    );
    assert.equal(refs(), 1);
    const repos = [join(scratch(), 'gone'), repo.folder];
    assert.deepEqual(await tidyWorktrees({ machine, sessionId, clock: systemClock, repos }), {
      removed: [],
      kept: [],
    });
    assert.equal(refs(), 0);
  });
});

describe('looking at a folder below the top of a repository', () => {
  const scratch = scratchFolder();

  it('starts no watcher of the user', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'), { 'sub/a.py': 'a\n' });
    const { program, mark } = repo.trap('watcher');
    repo.git('config', 'core.fsmonitor', program);
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'helios/runs'),
      workFolder: repo.folder,
    });
    const background = new ExperimentCodeStore({ sessionId, clock: systemClock });
    assert.equal((await background.capture(machine, join(repo.folder, 'sub'), 'e1')).kind, 'git');
    assert.equal(existsSync(mark), false, 'the watcher was started');
    repo.git('ls-files');
    assert.equal(existsSync(mark), true, 'the watcher is one that git starts');
  });
});
