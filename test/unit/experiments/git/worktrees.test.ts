import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { adviceOf, UserFacing } from '../../../../src/base/errors.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import {
  promotedChange,
  promoteToBranch,
  promoteToPatch,
} from '../../../../src/experiments/git/promote.ts';
import { tidyWorktrees } from '../../../../src/experiments/git/tidyWorktrees.ts';
import { checkoutName, slugOf, Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../../src/machines/machine.ts';
import { SshConnection } from '../../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../../src/machines/ssh/sshMachine.ts';
import { expBranch } from '../../../../src/tools/experiments/expBranch.ts';
import { expBranches } from '../../../../src/tools/experiments/expBranches.ts';
import { expCheckout } from '../../../../src/tools/experiments/expCheckout.ts';
import { expCommit } from '../../../../src/tools/experiments/expCommit.ts';
import { expDiff } from '../../../../src/tools/experiments/expDiff.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../../fakes/sshd.ts';
import { answer, sessionId } from '../../tools/machineTools.harness.ts';

interface Host {
  readonly id: string;
  open(folder: string): Machine;
}

let sshd: TestSshd;
let connection: SshConnection;
const owned: SshMachine[] = [];
const hosts: readonly Host[] = [
  {
    id: 'local',
    open: (folder) =>
      new LocalMachine({
        runsFolder: join(folder, 'helios/runs'),
        workFolder: join(folder, 'repo'),
      }),
  },
  {
    id: 'gpu1',
    open(folder) {
      const machine = new SshMachine({
        id: 'gpu1',
        connection,
        homeFolder: folder,
        workFolder: join(folder, 'repo'),
      });
      owned.push(machine);
      return machine;
    },
  },
];

for (const host of hosts)
  describe(`branches of experiments on ${host.id}`, () => {
    const scratch = scratchFolder();
    before(async () => {
      sshd = await TestSshd.start();
      connection = new SshConnection(sshd.target(), scriptedPrompts());
    });
    after(async () => {
      for (const machine of owned.splice(0)) machine.dispose();
      connection.dispose();
      await sshd.dispose();
    });

    let machine: Machine;
    /** The tools as a session has them, and a repository of the user's with changes in it. */
    const begin = (champion?: string) => {
      const repo = GitRepo.create(join(scratch(), 'repo'), {
        'train.py': 'lr = 1\n',
        '.gitignore': 'data/\n',
      });
      repo.write({ 'train.py': 'lr = 2\n', 'new.py': 'x\n', '.env': 'KEY=1\n', 'data/big': 'x\n' });
      repo.write({ '.venv/pyvenv.cfg': 'home = /usr/bin\n', '.venv/bin/python': '' });
      machine = host.open(scratch());
      const worktrees = new Worktrees({ sessionId, clock: systemClock });
      const deps = {
        machines: createMachines([machine]),
        worktrees,
        clock: systemClock,
        championFolder: () => champion,
      };
      const tools = {
        exp_branch: expBranch(deps),
        exp_commit: expCommit(deps),
        exp_diff: expDiff(deps),
        exp_branches: expBranches(deps),
        exp_checkout: expCheckout(deps),
      };
      const ask = (
        name: keyof typeof tools,
        input: object = {},
      ): Promise<Record<string, unknown>> => answer(tools[name], { machine_id: host.id, ...input });
      const branch = async (name: string, from?: string): Promise<GitRepo> => {
        const made = await ask('exp_branch', {
          repo_path: repo.folder,
          experiment_name: name,
          ...(from && { from }),
        });
        return new GitRepo(String(made.path));
      };
      const before = pictureOf(repo.folder);
      const holds = (): void => assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
      return { repo, ask, branch, holds, worktrees };
    };

    it('begins with the checkout as it stands, in a worktree of its own', async () => {
      const { repo, ask, holds } = begin();
      const made = await ask('exp_branch', { repo_path: '.', experiment_name: 'Cosine (try #2)' });
      const tree = new GitRepo(String(made.path));
      assert.deepEqual([made.branch, made.created], ['cosine-try-2', true]);
      assert.deepEqual(made.left_out, [
        '.env (looks like a secret)',
        '.venv/ (installed packages)',
      ]);
      assert.match(String(made.untracked), /with 1 untracked file: new\.py/);
      assert.ok(String(made.note).includes(`${repo.folder}/.venv/bin/python`), String(made.note));
      assert.match(tree.folder, new RegExp(`worktrees/${sessionId}/cosine-try-2$`));
      assert.equal(readFileSync(join(tree.folder, 'train.py'), 'utf8'), 'lr = 2\n');
      assert.equal(existsSync(join(tree.folder, 'new.py')), true);
      assert.equal(existsSync(join(tree.folder, '.env')), false);
      assert.equal(tree.git('status', '--porcelain'), '');
      assert.equal(repo.git('rev-parse', `refs/helios/${sessionId}/cosine-try-2`), made.commit);
      assert.throws(() => tree.git('symbolic-ref', '-q', 'HEAD'));
      const again = await ask('exp_branch', { repo_path: '.', experiment_name: 'cosine try 2' });
      assert.deepEqual([again.created, again.path, again.commit], [false, made.path, made.commit]);
      holds();
    });

    it('begins with another branch, with an experiment of the ledger, with a revision', async () => {
      const { repo, branch, holds } = begin();
      const first = await branch('first');
      first.write({ 'train.py': 'lr = 3\n' });
      await new ExperimentCodeStore({ sessionId, clock: systemClock }).capture(
        machine,
        first.folder,
        'e1',
      );
      const train = async (name: string, from: string): Promise<string> =>
        readFileSync(join((await branch(name, from)).folder, 'train.py'), 'utf8');
      assert.equal(await train('second', 'first'), 'lr = 2\n');
      assert.equal(await train('third', 'e1'), 'lr = 3\n');
      assert.equal(await train('fourth', 'main'), 'lr = 1\n');
      assert.equal(await train('fifth', repo.git('rev-parse', 'HEAD')), 'lr = 1\n');
      holds();
    });

    it('commits what stands there, on its ref alone, and says when nothing has changed', async () => {
      const { repo, ask, branch, holds } = begin();
      const tree = await branch('a');
      const tip = (): string => repo.git('rev-parse', `refs/helios/${sessionId}/a`);
      const first = tip();
      const none = await ask('exp_commit', {
        repo_path: repo.folder,
        branch: 'a',
        message: 'nothing',
      });
      assert.deepEqual([none.committed, tip()], [false, first]);
      tree.write({
        'train.py': 'lr = 4\n',
        'token.txt': `hf_${'aB3'.repeat(11)}\n`,
        'w.pt': 'x'.repeat(2_000_000),
      });
      rmSync(join(tree.folder, 'new.py'));
      const made = await ask('exp_commit', {
        branch: 'a',
        message: 'lr 4\n\nbecause "$(touch x)"',
      });
      assert.deepEqual([made.committed, made.commit], [true, tip()]);
      assert.deepEqual(made.left_out, ['token.txt (looks like a secret)', 'w.pt (binary of 2 MB)']);
      assert.deepEqual(repo.names(tip()), ['.gitignore', 'train.py']);
      assert.equal(repo.git('rev-parse', `${tip()}^`), first);
      assert.equal(tree.git('rev-parse', 'HEAD'), tip());
      assert.equal(tree.git('status', '--porcelain'), '?? token.txt\n?? w.pt');
      assert.equal(
        repo.git('log', '-1', '--format=%B', tip()).trim(),
        'lr 4\n\nbecause "$(touch x)"',
      );
      holds();
    });

    it('never commits in another folder when its own is gone', async () => {
      const { repo, ask, branch, holds } = begin();
      const tree = await branch('a');
      repo.git('add', 'new.py');
      repo.git('reset', '-q');
      rmSync(tree.folder, { recursive: true });
      const made = await ask('exp_commit', {
        repo_path: repo.folder,
        branch: 'a',
        message: 'gone',
      });
      assert.equal(made.committed, false);
      await assert.rejects(ask('exp_commit', { branch: 'never', message: 'x' }), /no branch never/);
      assert.equal(repo.git('log', '--format=%s'), 'first');
      void holds;
    });

    it('shows what is different, bounded, and refuses what is not there', async () => {
      const { repo, ask, branch, holds } = begin();
      const tree = await branch('a');
      await branch('b');
      const diff = (a: string, b: string) =>
        ask('exp_diff', { repo_path: repo.folder, branch_a: a, branch_b: b });
      const same = await diff('a', 'b');
      assert.deepEqual([same.equal, same.uncommitted], [true, undefined]);
      tree.write({ 'train.py': `${'x = 1\n'.repeat(20_000)}` });
      const behind = await diff('a', 'b');
      assert.equal(behind.equal, true);
      assert.equal(
        behind.uncommitted,
        'The worktree of a has changes that are not compared: train.py. Commit them with exp_commit, then compare again.',
      );
      await ask('exp_commit', { branch: 'a', message: 'much' });
      const much = await diff('b', 'a');
      assert.match(String(much.files), /train\.py/);
      assert.match(String(much.diff), /^-lr = 2\n/m);
      assert.ok(String(much.diff).length <= 18_000);
      assert.match(String(much.cut), /git diff [0-9a-f]{10} [0-9a-f]{10}/);
      for (const wrong of [
        'never',
        '--output=/tmp/x',
        '-h',
        'main..a',
        'a b',
        '',
        'a\nb',
        '@{-1}x',
      ])
        await assert.rejects(
          diff('a', wrong),
          /no branch or revision|^Error: exp_diff: branch_b: /,
          wrong,
        );
      await assert.rejects(diff('a', 'never'), /Existing branches and experiments: (a, b|b, a)/);
      holds();
    });

    it('lists branches, and which one has the best run', async () => {
      const { repo, ask, branch, holds } = begin(
        join(
          realpathSync(scratch()),
          host.id === 'local' ? 'helios' : '.helios',
          'worktrees',
          sessionId,
          'b',
        ),
      );
      assert.deepEqual((await ask('exp_branches')).branches, []);
      const a = await branch('a');
      await branch('b');
      await new ExperimentCodeStore({ sessionId, clock: systemClock }).capture(
        machine,
        repo.folder,
        'e3',
      );
      rmSync(a.folder, { recursive: true });
      const { branches, ledger } = await ask('exp_branches');
      assert.deepEqual(
        (branches as Record<string, unknown>[]).map((each) => [
          each.branch,
          each.worktree === undefined ? '' : String(each.worktree).slice(0, 4),
          each.champion,
        ]),
        [
          ['a', 'dele', undefined],
          ['b', '/tmp', true],
        ].map(([n, w, c]) => [n, w === '/tmp' ? a.folder.slice(0, 4) : w, c]),
      );
      assert.match(String(ledger), /^e3 [0-9a-f]{10}$/);
      holds();
    });

    it('makes a worktree that is gone, or was cut off, again; another folder is left alone', async () => {
      const { repo, ask, branch, worktrees, holds } = begin();
      const tree = await branch('a');
      tree.write({ 'train.py': 'lr = 9\n' });
      await ask('exp_commit', { branch: 'a', message: 'nine' });
      rmSync(tree.folder, { recursive: true });
      const again = await ask('exp_checkout', { branch: 'a' });
      assert.deepEqual([again.created, again.path], [true, tree.folder]);
      assert.equal(readFileSync(join(tree.folder, 'train.py'), 'utf8'), 'lr = 9\n');
      assert.equal((await ask('exp_checkout', { branch: 'a' })).created, false);
      // Cut off while its files were written.
      rmSync(join(repo.folder, '.git/worktrees/a/helios'));
      rmSync(join(tree.folder, 'train.py'));
      assert.equal((await ask('exp_checkout', { branch: 'a' })).created, true);
      assert.equal(tree.git('status', '--porcelain'), '');
      await assert.rejects(ask('exp_checkout', { branch: 'never' }), /no branch never/);
      await assert.rejects(
        ask('exp_checkout', { branch: 'never', repo_path: repo.folder }),
        /Existing branches and experiments: a/,
      );
      mkdirSync(join(tree.folder, '../taken'));
      writeFileSync(join(tree.folder, '../taken/mine'), '');
      await assert.rejects(branch('taken'), /is not a worktree of this repository/);
      assert.equal(existsSync(join(tree.folder, '../taken/mine')), true);
      assert.match(
        await worktrees.add(
          { machine, folder: repo.folder },
          repo.git('rev-parse', 'HEAD'),
          'again',
        ),
        /again$/,
      );
      holds();
    });

    it('starts no hook or filter of the user', async () => {
      const { repo, ask, branch } = begin();
      repo.write({ '.gitattributes': '*.py filter=trap\n' });
      const { program, mark } = repo.trap('branch');
      for (const name of [
        'post-checkout',
        'pre-commit',
        'post-commit',
        'reference-transaction',
        'post-index-change',
      ])
        symlinkSync(program, join(repo.folder, '.git/hooks', name));
      for (const key of ['filter.trap.clean', 'filter.trap.smudge', 'core.fsmonitor'])
        repo.git('config', key, program);
      const tree = await branch('a');
      tree.write({ 'train.py': 'lr = 5\n' });
      assert.equal((await ask('exp_commit', { branch: 'a', message: 'x' })).committed, true);
      await ask('exp_diff', { repo_path: repo.folder, branch_a: 'main', branch_b: 'a' });
      assert.equal(existsSync(mark) ? readFileSync(mark, 'utf8') : '', '');
    });

    it('is taken over as a branch or a patch, and never over what is there', async () => {
      const { repo, branch, holds } = begin();
      const tree = await branch('a');
      tree.write({
        ...{ 'train.py': 'lr = 7\n', 'bin.dat': '\0\u0001' },
        ...{ 'out0.log': 'epoch 1', 'results/a.json': '{}', 'runs/made.py': '1' },
      });
      const code = await new ExperimentCodeStore({ sessionId, clock: systemClock }).capture(
        machine,
        tree.folder,
        'e1',
      );
      const message = 'faster\n\nMeasured: val_acc 0.99';
      const commands = ['python3 runs/made.py'];
      const promoted = { machine, code, clock: systemClock, message, commands };
      const patch = await promoteToPatch(promoted);
      holds();
      const made = await promoteToBranch(promoted, 'helios/seven');
      const { commit } = made;
      assert.equal(made.repo, repo.folder, 'the repository of the user, not the worktree');
      assert.deepEqual(
        await promoteToBranch({ ...promoted, message: 'with more seeds' }, 'helios/seven'),
        { ...made, isOld: true },
      );
      assert.equal(repo.git('rev-parse', 'helios/seven'), commit);
      assert.equal(repo.git('symbolic-ref', 'HEAD'), 'refs/heads/main');
      assert.deepEqual(
        repo.names('helios/seven'),
        ['.gitignore', 'bin.dat', 'new.py', 'runs/made.py', 'train.py'],
        'without outputs of runs, and with what a command names',
      );
      assert.equal(repo.git('log', '-1', '--format=%B', 'helios/seven').trim(), message);
      assert.doesNotMatch(patch.toString(), /out0\.log|a\.json/);
      for (const name of ['main', 'a..b', '-x', 'HEAD', 'a b', ''])
        await assert.rejects(promoteToBranch(promoted, name), UserFacing, name);
      const clean = new GitRepo(join(scratch(), 'clean'));
      repo.git('clone', '-q', '-b', 'main', '.', clean.folder);
      writeFileSync(join(scratch(), 'p'), patch);
      clean.git('apply', join(scratch(), 'p'));
      assert.equal(readFileSync(join(clean.folder, 'train.py'), 'utf8'), 'lr = 7\n');
      const none = { ...promoted, code: { kind: 'none', why: 'no git' } as const };
      await assert.rejects(promoteToBranch(none, 'x'), /was not stored: no git/);
      await tidyWorktrees({ machine, sessionId, clock: systemClock });
      rmSync(tree.folder, { recursive: true, force: true });
      assert.equal((await promoteToBranch(promoted, 'later')).commit, commit);
    });

    it('is taken over without files that the user never committed, in one commit', async () => {
      const { repo, branch, ask } = begin();
      const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
      for (const number of [1, 2, 3, 4, 5, 6]) repo.write({ [`${number}.txt`]: 'x' });
      await store.capture(machine, repo.folder, checkoutName);
      const tree = await branch('own');
      assert.ok(existsSync(join(tree.folder, 'new.py')), 'runs can read it');
      tree.write({ 'train.py': 'lr = 7\n', 'made.py': '1' });
      await ask('exp_commit', { branch: 'own', message: 'm' });
      const code = await store.capture(machine, tree.folder, 'e1');
      const promoted = { machine, code, clock: systemClock, message: 'own', commands: [] };
      await promoteToBranch(promoted, 'own');
      assert.match(
        await promotedChange(promoted),
        /commit; left out, as you have not committed them: 1\.txt, .*, 5\.txt and 2 more$/,
      );
      assert.deepEqual(repo.names('own'), [...repo.names('main'), 'made.py'].toSorted());
      assert.equal(repo.git('rev-parse', 'own^'), repo.git('rev-parse', 'main'));
      tree.write({ 'new.py': 'changed' });
      const changed = await store.capture(machine, tree.folder, 'e2');
      await promoteToBranch({ ...promoted, code: changed }, 'changed');
      assert.ok(repo.names('changed').includes('new.py'));
    });

    it('has as much of the tree as a sparse checkout has, and commits all of it', async () => {
      const { repo, branch, ask } = begin();
      repo.write({ 'here/a.py': '1', 'there/b.py': '1' });
      repo.git('add', 'here', 'there');
      repo.git('commit', '-qm', 'two folders');
      repo.git('sparse-checkout', 'set', 'here');
      const made = await branch('part');
      assert.ok(existsSync(join(made.folder, 'here/a.py')));
      assert.ok(!existsSync(join(made.folder, 'there/b.py')));
      assert.equal(made.git('status', '--porcelain'), '');
      made.write({ 'here/a.py': '2' });
      await ask('exp_commit', { branch: 'part', message: 'm' });
      assert.equal(made.git('show', 'HEAD:here/a.py'), '2');
      assert.equal(made.git('show', 'HEAD:there/b.py'), '1');
      assert.equal(made.git('status', '--porcelain'), '');
    });

    it('has a ref that git knows', async () => {
      const { repo, ask } = begin();
      const { ref } = (await ask('exp_branch', {
        repo_path: repo.folder,
        experiment_name: 'known',
      })) as { readonly ref: string };
      assert.equal(repo.git('diff', '--name-only', 'HEAD', ref), 'new.py\ntrain.py');
    });

    it('says where only pointers of files are in it', async () => {
      const { repo, branch, ask } = begin();
      assert.doesNotMatch(
        JSON.stringify(
          await ask('exp_branch', { repo_path: repo.folder, experiment_name: 'without' }),
        ),
        /LFS/,
      );
      repo.write({ 'models/.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
      await branch('with');
      assert.match(
        JSON.stringify(await ask('exp_checkout', { branch: 'with' })),
        /stored with Git LFS are only pointers in this worktree/,
      );
    });

    it('is taken over by no name that git or a user would misread', async () => {
      const { repo, branch } = begin();
      const kept = await branch('made');
      const code = {
        kind: 'git',
        repo: repo.folder,
        tree: '',
        isDirty: true,
        leftOut: [],
      } as const;
      const commit = kept.git('rev-parse', 'HEAD');
      repo.git('branch', 'taken');
      repo.git('branch', 'full/one');
      const refusals = [
        ...['@', 'HEAD', 'refs/heads/x', '-x', 'a b', 'x'.repeat(201)].map(
          (name) => [name, /is not a valid branch name/] as const,
        ),
        ...['taken/x', 'taken/x/y', 'full'].map(
          (name) => [name, /^A branch cannot be named .*\((?:taken|full\/one)\)/] as const,
        ),
      ];
      const branches = repo.git('branch', '--list');
      const promoted = {
        ...{ machine, code: { ...code, commit }, clock: systemClock },
        ...{ message: 'm', commands: [] },
      };
      for (const [name, message] of refusals)
        await assert.rejects(
          promoteToBranch(promoted, name),
          (error: Error) => error instanceof UserFacing && message.test(adviceOf(error)),
          name,
        );
      assert.equal(repo.git('branch', '--list'), branches);
      await promoteToBranch(promoted, 'full/two');
    });

    it('is tidied up with its session, but for what is not committed', async () => {
      const { repo, ask, branch, holds } = begin();
      const [a, b, c] = [await branch('a'), await branch('b'), await branch('c')];
      b.write({ 'train.py': 'not committed\n' });
      c.write({ 'train.py': 'committed\n' });
      await ask('exp_commit', { branch: 'c', message: 'x' });
      const report = await tidyWorktrees({ machine, sessionId, clock: systemClock });
      assert.deepEqual(new Set(report.removed), new Set([a.folder, c.folder]));
      assert.deepEqual(report.kept, [{ path: b.folder, why: '1 file is not committed there' }]);
      assert.equal(
        existsSync(a.folder) || existsSync(join(repo.folder, '.git/worktrees/a')),
        false,
      );
      assert.equal(existsSync(join(b.folder, 'train.py')), true);
      assert.equal(repo.git('for-each-ref', 'refs/helios').split('\n').length, 3);
      b.git('checkout', '-q', '--', '.');
      await tidyWorktrees({ machine, sessionId, clock: systemClock, repos: [] });
      assert.equal(repo.git('for-each-ref', 'refs/helios'), '');
      holds();
    });
  });

describe('the name of a branch', () => {
  const names: Readonly<Record<string, string>> = {
    'lr 3e-4 (try #2)': 'lr-3e-4-try-2',
    '../../etc/passwd': 'etc-passwd',
    '--upload-pack=touch x': 'upload-pack-touch-x',
    'Größe\n\tzwei': 'gro-e-zwei',
    'refs/heads/main': 'refs-heads-main',
  };
  for (const [name, slug] of Object.entries(names))
    it(`${JSON.stringify(name)} becomes ${slug}`, () => assert.equal(slugOf(name), slug));
  it('is refused where nothing is left, or the ledger has it', () => {
    for (const name of ['…', '../..', '', 'e7', 'E7'])
      assert.throws(() => slugOf(name), /letters or digits|ledger/);
  });
});
