/** The tools of experiments in a repository full of traps, with a git that fetches lazily. */
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { sameCode } from '../../../../src/experiments/codeDifference.ts';
import { codeDiff } from '../../../../src/experiments/git/codeDiff.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import { promoteToBranch, promoteToPatch } from '../../../../src/experiments/git/promote.ts';
import { tidyWorktrees } from '../../../../src/experiments/git/tidyWorktrees.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { trappedRepo } from '../../../fakes/trappedRepo.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

const clock = systemClock;

describe('tools of experiments in a repository full of traps', () => {
  const scratch = scratchFolder();
  /** A machine with a git that does not know GIT_NO_LAZY_FETCH. */
  const olderMachine = (workFolder: string): LocalMachine => {
    const bin = join(scratch(), 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec /usr/bin/git "$@"\n');
    chmodSync(join(bin, 'git'), 0o755);
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    return new LocalMachine({ runsFolder: join(scratch(), 'helios/runs'), workFolder, env });
  };
  const begin = () => {
    const trapped = trappedRepo(scratch());
    const { folder } = trapped.repo;
    return { ...trapped, folder, machine: olderMachine(folder) };
  };
  const capture = (machine: LocalMachine, folder: string, name: string) =>
    new ExperimentCodeStore({ sessionId, clock }).capture(machine, folder, name, [
      'python train.py',
    ]);

  it('start none of its programs', async () => {
    const { repo, folder, machine, started } = begin();
    const worktrees = new Worktrees({ sessionId, clock });
    const before = pictureOf(folder);
    const code = await capture(machine, folder, 'e1');
    assert.ok(code.kind === 'git' && code.isDirty, JSON.stringify(code));
    assert.deepEqual(code.leftOut, []);
    const made = await worktrees.branch({ machine, folder, name: 'side-by-side' });
    new GitRepo(made.path).write({ 'train.py': 'better\n', 'notes.txt': 'better\n' });
    await worktrees.commit({ machine }, 'side-by-side', 'better');
    await worktrees.list({ machine, folder });
    const b = await worktrees.resolve({ machine, folder }, 'side-by-side');
    const diff = await codeDiff({ machine, folder }, { a: 'HEAD', b, maxBytes: 9000, clock });
    assert.match(diff.patch, /\+better/);
    assert.deepEqual(differences(before, pictureOf(folder)), []);
    const promoted = { machine, code, clock, message: 'm', commands: [] };
    await promoteToBranch(promoted, 'mine');
    await promoteToPatch(promoted);
    await capture(machine, made.path, 'e2');
    const { kept } = await tidyWorktrees({ machine, sessionId, clock, repos: [folder] });
    assert.deepEqual(kept, []);
    assert.deepEqual(started(), []);
    assert.equal(
      repo.git('-c', 'diff.external=', 'show', `${code.tree}:notes.txt`),
      'notes.txt  changed',
    );
  });

  it('fetch nothing that is missing', async () => {
    const { repo, folder, machine, started } = begin();
    const tree = repo.git('rev-parse', 'HEAD~1^{tree}');
    rmSync(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    const missing = '1'.repeat(40);
    const worktrees = new Worktrees({ sessionId, clock });
    await assert.rejects(worktrees.resolve({ machine, folder }, missing), /no branch or revision/);
    await worktrees.list({ machine, folder });
    await assert.rejects(
      codeDiff({ machine, folder }, { a: 'HEAD', b: 'HEAD~1', maxBytes: 9000, clock }),
    );
    const others = [missing, tree];
    const request = { repo: folder, tree: repo.git('rev-parse', 'HEAD^{tree}'), others };
    assert.equal(await sameCode(machine, { ...request, commands: [], clock }), undefined);
    assert.deepEqual(started(), []);
  });

  it('read the folder of the repository, whatever its core.worktree says', async () => {
    const home = join(scratch(), 'home');
    const repo = GitRepo.create(join(home, 'repo'), { 'a.py': 'a\n', 'sub/b.py': 'b\n' });
    writeFileSync(join(home, 'private.txt'), 'private\n');
    repo.git('config', 'core.worktree', home);
    const machine = olderMachine(repo.folder);
    const code = await capture(machine, join(repo.folder, 'sub'), 'e1');
    assert.ok(code.kind === 'git', JSON.stringify(code));
    assert.equal(code.repo, repo.folder);
    assert.equal(code.isDirty, false);
    repo.git('config', '--unset', 'core.worktree');
    assert.deepEqual(repo.names(code.tree), ['a.py', 'sub/b.py']);
    repo.git('config', 'core.worktree', home);
    const { path } = await new Worktrees({ sessionId, clock }).branch({
      ...{ machine, folder: repo.folder, name: 'side-by-side' },
    });
    assert.equal((await capture(machine, path, 'e2')).kind, 'git');
    const bare = join(repo.folder, 'fixture');
    cpSync(join(repo.folder, '.git'), bare, { recursive: true });
    for (const folder of [bare, join(repo.folder, '.git/refs')])
      assert.match(JSON.stringify(await capture(machine, folder, 'e3')), /no worktree/);
  });

  it('read a submodule, whose core.worktree leads out of its git folder', async () => {
    const { folder, machine, repo } = begin();
    const code = await capture(machine, join(folder, 'sub'), 'e1');
    assert.ok(code.kind === 'git', JSON.stringify(code));
    assert.equal(code.repo, join(folder, 'sub'));
    assert.equal(
      new GitRepo(join(folder, 'sub')).git('-c', 'diff.external=', 'show', `${code.tree}:inner.py`),
      'sub/inner.py  changed',
    );
    assert.ok(repo.folder);
  });

  it('take no settings from the lines of a value', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'));
    repo.git('config', 'core.eol', 'lf\n[core]\n\tbare = true\n\trepositoryFormatVersion = 9');
    const code = await capture(olderMachine(repo.folder), repo.folder, 'e1');
    assert.equal(code.kind, 'git', JSON.stringify(code));
  });
});
