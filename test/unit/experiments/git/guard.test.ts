import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { installGuard, withGuard } from '../../../../src/experiments/git/installGuard.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

/** Each in the repository of the user, which has a branch `side`, a tag, a stash and a remote. */
const reading: readonly string[] = [
  'git status',
  'git diff',
  'git log -p --oneline',
  'git show HEAD',
  'git branch',
  'git branch -a -v',
  'git branch --list "s*"',
  'git branch --contains HEAD',
  'git tag',
  'git tag -l "v*"',
  'git remote -v',
  'git remote get-url origin',
  'git stash list',
  'git stash show',
  'git config --get user.name',
  'git config user.name',
  'git config --list',
  'git reflog',
  'git symbolic-ref HEAD',
  'git worktree list',
  'git -C . --no-pager -c color.ui=always log -1',
  'git --git-dir=.git log -1',
  'git grep changed',
  'git archive HEAD >/dev/null',
  'git hash-object train.py',
  'git ls-remote .',
  'git --version',
  "python3 -c \"import subprocess; print(subprocess.run(['git', 'rev-parse', 'HEAD']).returncode)\"",
];

const refused: readonly string[] = [
  'git add -A',
  'git commit -qam x',
  'git reset --hard',
  'git checkout -- train.py',
  'git checkout side',
  'git switch side',
  'git restore train.py',
  'git clean -fdx',
  'git rm -q train.py',
  'git mv train.py b.py',
  'git stash',
  'git stash pop',
  'git stash drop',
  'git branch new',
  'git branch -D side',
  'git branch -f side HEAD',
  'git branch --edit-description',
  'git branch --list x -D side',
  'git tag v2',
  'git tag -d v1',
  'git tag -n x -d v1',
  'git merge side',
  'git rebase side',
  'git cherry-pick side',
  'git push --force origin main',
  'git push origin :main',
  'git fetch origin',
  'git pull',
  'git gc --prune=now',
  'git prune',
  'git repack -ad',
  'git pack-refs --all',
  'git update-ref -d refs/heads/side',
  'git update-ref refs/heads/main HEAD~0',
  'git symbolic-ref HEAD refs/heads/side',
  'git symbolic-ref -d HEAD',
  'git update-index --refresh',
  'git read-tree --empty',
  'git config user.name Eve',
  'git config --global user.name Eve',
  'git config --unset user.name',
  'git config --get user.name --unset',
  'git remote add evil /tmp',
  'git remote -v update',
  'git reflog expire --all --expire=now',
  'git worktree add ../w',
  'git worktree prune',
  'git notes add -m x',
  'git init',
  'git init -b main',
  'git init .git/x',
  'git clone . .git/x',
  'git clone -c core.hooksPath=/x . ../y',
  'git clone --template=/x . ../y',
  'git submodule add . x',
  'git filter-branch -f',
  'git fast-import </dev/null',
  'git maintenance run',
  'git diff --output=.git/config',
  'git diff --outpu=.git/config',
  'git log -S -- --output=.git/config',
  'git rev-list --output=.git/config HEAD',
  'git shortlog --output=.git/config HEAD',
  'git archive -o .git/HEAD HEAD',
  'git archive --output=.git/HEAD HEAD',
  'git grep -Orm print',
  'git grep -nOrm print',
  'git grep --open-files-in-pager=rm print',
  'git ls-remote --upload-pack="git stash;" .',
  'git hash-object -w train.py',
  'git describe --dirty --always',
  'git fsck --lost-found',
  'git st',
  'git mine',
  'git -c alias.x=stash x',
  "git -c 'alias.x=!git stash' x",
  'git -c core.fsmonitor=/tmp/x status',
  'git --exec-path=/tmp status',
  'git --config-env=a=B status',
  'git --git-dir=.git --work-tree=.. checkout -f',
  'git -C sub/.. reset --hard',
  'GIT_DIR=$PWD/.git git -C / stash',
  'GIT_WORK_TREE=/tmp git reset --hard',
  'cd sub && git stash',
  'command git stash',
  'env git stash',
  'nohup git stash',
  'sh -c "git stash"',
  'echo git stash | sh',
  'echo stash | xargs git',
  "python3 -c \"import subprocess, sys; sys.exit(subprocess.run(['git', 'stash']).returncode)\"",
  "python3 -c \"import subprocess, sys; sys.exit(subprocess.run(['/usr/bin/git', 'stash']).returncode)\"",
  "python3 -c \"import os; os.execvp('git', ['git', 'reset', '--hard'])\"",
  '/usr/bin/git stash',
  './script.sh',
  'make -s stash 2>/dev/null || ./script.sh',
];

describe('the guard of git', () => {
  const scratch = scratchFolder();
  const begin = async () => {
    const remote = join(scratch(), 'remote.git');
    const repo = GitRepo.create(join(scratch(), 'repo'), {
      'train.py': 'print(1)\n',
      'sub/a.py': 'a\n',
    });
    repo.git('clone', '-q', '--bare', '.', remote);
    repo.git('remote', 'add', 'origin', remote);
    repo.git('branch', 'side');
    repo.git('tag', 'v1');
    repo.git('config', 'alias.mine', 'stash');
    repo.git('config', 'alias.st', '!git stash');
    repo.write({ 'train.py': 'stashed\n' });
    repo.git('stash');
    repo.write({
      'train.py': 'changed\n',
      'new.py': 'new\n',
      'script.sh': '#!/bin/sh\nset -e\n/usr/bin/git stash\n',
    });
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'helios/runs'),
      workFolder: repo.folder,
    });
    const state = await installGuard(machine);
    assert.equal(state.kind, 'ready');
    const folder = state.kind === 'ready' ? state.folder : '';
    const run = (command: string, cwd = repo.folder) =>
      machine.exec(withGuard(folder, command), { cwd });
    const code = async (command: string, cwd?: string): Promise<number> => {
      const { outcome } = await run(command, cwd);
      return outcome.kind === 'exited' ? outcome.code : -1;
    };
    return { repo, remote, machine, folder, run, code };
  };

  it('lets reading through, and changes nothing by it', async () => {
    const { repo, run } = await begin();
    const before = pictureOf(repo.folder);
    for (const command of reading) {
      const { outcome, stderr } = await run(command);
      assert.deepEqual(outcome, { kind: 'exited', code: 0 }, `${command}: ${stderr}`);
      assert.deepEqual(differences(before, pictureOf(repo.folder)), [], command);
    }
  });

  it('refuses what changes the repository of the user, and says what to do', async () => {
    const { repo, remote, run } = await begin();
    chmodSync(join(repo.folder, 'script.sh'), 0o755);
    const before = pictureOf(repo.folder);
    const other = pictureOf(remote);
    for (const command of refused) {
      const { outcome, stderr } = await run(command);
      assert.notDeepEqual(outcome, { kind: 'exited', code: 0 }, command);
      assert.match(
        stderr,
        /exp_branch|Helios never pushes|guard sees it|bogus format|Error|usage|not a git|nohup/,
        command,
      );
      assert.deepEqual(differences(before, pictureOf(repo.folder)), [], command);
      assert.deepEqual(differences(other, pictureOf(remote)), [], command);
    }
  });

  it('takes no notice of what the environment says of programs and files', async () => {
    const { repo, run } = await begin();
    const { program, mark } = repo.trap('env');
    const before = pictureOf(repo.folder);
    for (const name of [
      'GIT_EXTERNAL_DIFF',
      'GIT_PAGER',
      'GIT_EDITOR',
      'GIT_SSH',
      'GIT_PROXY_COMMAND',
    ])
      await run(`${name}=${program} git diff`);
    for (const name of [
      'GIT_TRACE',
      'GIT_TRACE2',
      'GIT_TRACE2_EVENT',
      'GIT_TRACE_SETUP',
      'GIT_TRACE_PERFORMANCE',
    ])
      await run(`${name}=$PWD/.git/config git status`);
    await run(
      `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=${program} git status`,
    );
    await run('GIT_INDEX_FILE=$PWD/.git/other git status');
    assert.equal(existsSync(mark), false);
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
  });

  it('lets a worktree of ours be worked in, as far as that reaches', async () => {
    const { repo, machine, code } = await begin();
    const { path } = await new Worktrees({ sessionId, clock: systemClock }).branch({
      machine,
      folder: repo.folder,
      name: 'a',
    });
    const tree = new GitRepo(path);
    const before = pictureOf(repo.folder);
    const allowed = [
      'git add -A',
      'git reset -q --hard',
      'git checkout HEAD -- train.py',
      'git checkout -- .',
      'git restore .',
      'git rm -q new.py',
      'git mv train.py b.py',
      'git reset -q --hard HEAD~1',
      'git checkout --detach main',
      'git switch --detach side',
      'git clean -fdx',
      'git cherry-pick -n main',
    ];
    for (const command of allowed) {
      tree.write({ 'more.py': 'more\n' });
      assert.equal(await code(command, path), 0, command);
      assert.deepEqual(differences(before, pictureOf(repo.folder)), [], command);
    }
    const never = [
      'git commit -qam x',
      'git stash',
      'git checkout side',
      'git checkout -b x',
      'git checkout main --',
      'git switch side',
      'git branch x',
      'git tag x',
      'git merge side',
      'git rebase side',
      'git push',
      'git fetch',
      'git config a.b c',
      'git gc',
      'git worktree prune',
      'git update-ref refs/heads/x HEAD',
      'git apply --unsafe-paths x',
      'git -C . --work-tree=/ clean -fdx',
      `git --work-tree=${repo.folder} clean -fdx`,
      `GIT_DIR=${repo.folder}/.git git reset --hard`,
    ];
    for (const command of never) {
      assert.notEqual(await code(command, path), 0, command);
      assert.deepEqual(differences(before, pictureOf(repo.folder)), [], command);
    }
    writeFileSync(join(repo.folder, '.git/worktrees/a/HEAD'), 'ref: refs/heads/side\n');
    assert.notEqual(await code('git reset --hard HEAD~1', path), 0);
  });

  it('leaves a repository that was cloned or begun through it to the agent, but for pushing', async () => {
    const { repo, remote, run, code } = await begin();
    const before = [pictureOf(repo.folder), pictureOf(remote)] as const;
    assert.equal(await code('git clone -q repo own && mkdir new && git init -q new', scratch()), 0);
    for (const folder of ['own', 'new']) {
      const own = join(scratch(), folder);
      const { outcome, stderr } = await run(
        'git config user.name A && git config user.email a@b && echo x >x && git add x && git commit -qm x && git checkout -qb y && git stash list && git gc -q',
        own,
      );
      assert.deepEqual(outcome, { kind: 'exited', code: 0 }, stderr);
    }
    const own = join(scratch(), 'own');
    const never = [
      'git push -f origin HEAD:main',
      `git push ${remote} :main`,
      `git --work-tree=${repo.folder} checkout -f`,
      `git config core.worktree ${repo.folder} && git checkout -f`,
      'git config --global a.b c',
      'git rebase -x "git -C ../repo stash" HEAD~1',
    ];
    for (const command of never) assert.notEqual(await code(command, own), 0, command);
    assert.deepEqual(differences(before[0], pictureOf(repo.folder)), []);
    assert.deepEqual(differences(before[1], pictureOf(remote)), []);
  });

  it('is installed once, and says where it cannot be', async () => {
    const { machine, folder, code } = await begin();
    const text = readFileSync(join(folder, 'git'));
    assert.deepEqual(await installGuard(machine), { kind: 'ready', folder });
    assert.ok(text.equals(readFileSync(join(folder, 'git'))));
    const bin = join(scratch(), 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/sh', join(bin, 'sh'));
    const poor = new LocalMachine({
      runsFolder: join(scratch(), 'other/runs'),
      workFolder: '/',
      env: { PATH: bin },
    });
    assert.deepEqual(await installGuard(poor), { kind: 'none' });
    rmSync(join(scratch(), 'other'), { recursive: true, force: true });
    writeFileSync(join(scratch(), 'file'), '');
    const closed = new LocalMachine({ runsFolder: join(scratch(), 'file/runs'), workFolder: '/' });
    assert.deepEqual(await installGuard(closed), { kind: 'failed' });
    // One that comes before it in PATH does nothing at all.
    assert.equal(
      await code('mkdir links && ln -s /usr/bin/git links/git && PATH=$PWD/links:$PATH git stash'),
      128,
    );
  });
});
