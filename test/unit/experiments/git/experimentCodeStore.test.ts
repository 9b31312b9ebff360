import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  rmSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import type { SessionId } from '../../../../src/base/ids.ts';
import {
  ExperimentCodeStore,
  type ExperimentCodeStoreDeps,
} from '../../../../src/experiments/git/experimentCodeStore.ts';
import { sameCode } from '../../../../src/experiments/codeDifference.ts';
import { codeKey } from '../../../../src/experiments/duplicates.ts';
import type { CodeState } from '../../../../src/experiments/experiment.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';

type Kept = Extract<CodeState, { kind: 'git' }>;

const sessionId = 's-0000000001abcdef' as SessionId;

describe('ExperimentCodeStore', () => {
  const scratch = scratchFolder();
  const home = (): string => join(scratch(), 'helios');
  const machine = (): LocalMachine =>
    new LocalMachine({ runsFolder: join(home(), 'runs'), workFolder: scratch() });
  const background = (deps: Partial<ExperimentCodeStoreDeps> = {}): ExperimentCodeStore =>
    new ExperimentCodeStore({ sessionId, clock: systemClock, ...deps });
  const capture = (
    folder: string,
    name = 'e1',
    deps: Partial<ExperimentCodeStoreDeps> = {},
  ): Promise<CodeState> => background(deps).capture(machine(), folder, name);
  const kept = async (
    folder: string,
    deps: Partial<ExperimentCodeStoreDeps> = {},
  ): Promise<Kept> => {
    const state = await capture(folder, 'e1', deps);
    assert.equal(state.kind, 'git', JSON.stringify(state));
    return state as Kept;
  };
  const repoAt = (files?: Readonly<Record<string, string>>): GitRepo =>
    GitRepo.create(join(scratch(), 'repo'), files);
  /** Captures, and holds it to having changed nothing of the user's. */
  const untouched = async (
    repo: GitRepo,
    deps: Partial<ExperimentCodeStoreDeps> = {},
  ): Promise<Kept> => {
    const before = pictureOf(repo.folder);
    const state = await kept(repo.folder, deps);
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
    const temporary = join(home(), 'tmp');
    await until('nothing temporary is left', () => readdirSync(temporary).length === 0);
    return state;
  };

  it('is the commit where nothing is changed', async () => {
    const repo = repoAt({ 'a.py': 'a\n', 'sub/b.py': 'b\n' });
    const { commit, ...state } = await untouched(repo);
    const head = repo.git('rev-parse', 'HEAD');
    const tree = repo.git('rev-parse', 'HEAD^{tree}');
    assert.deepEqual(state, {
      kind: 'git',
      repo: repo.folder,
      head,
      tree,
      isDirty: false,
      leftOut: [],
    });
    assert.equal(repo.git('rev-parse', `refs/helios/${sessionId}/e1`), commit);
    assert.equal(repo.git('rev-parse', `${commit}^`), head);
    assert.equal(
      repo.git('log', '-1', '--format=%an <%ae>', commit ?? ''),
      'Helios <helios@localhost>',
    );
  });

  it('takes changes, new files, deletions, links and modes as they stand, and nothing that is ignored', async () => {
    const repo = repoAt({
      '.gitignore': '*.log\nout/\n',
      'a.py': 'a\n',
      'b.py': 'b\n',
      'c.py': 'c\n',
      'd.sh': 'd\n',
    });
    repo.write({
      'a.py': 'changed\n',
      'new dir/ü "x".py': 'new\n',
      'x.log': 'no\n',
      'out/big': 'no\n',
    });
    repo.write({ 'c.py': 'staged\n' });
    repo.git('add', 'c.py');
    repo.write({ 'c.py': 'staged, then changed\n' });
    rmSync(join(repo.folder, 'b.py'));
    chmodSync(join(repo.folder, 'd.sh'), 0o755);
    symlinkSync('a.py -> nowhere', join(repo.folder, 'link'));
    const { tree, isDirty, leftOut } = await untouched(repo);
    assert.equal(isDirty, true);
    assert.deepEqual(leftOut, []);
    assert.deepEqual(repo.names(tree), [
      '.gitignore',
      'a.py',
      'c.py',
      'd.sh',
      'link',
      'new dir/ü "x".py',
    ]);
    assert.equal(repo.git('show', `${tree}:a.py`), 'changed');
    assert.equal(repo.git('show', `${tree}:c.py`), 'staged, then changed');
    assert.match(repo.git('ls-tree', tree, 'd.sh'), /^100755/);
    assert.match(repo.git('ls-tree', tree, 'link'), /^120000/);
  });

  it('leaves out environments, unless git tracks their files', async () => {
    const repo = repoAt({ 'a.py': 'a\n', 'tracked/site-packages/b.py': 'b\n' });
    repo.write({
      '.venv/pyvenv.cfg': 'home = /usr/bin\n',
      '.venv/lib/python3.11/site-packages/pip/_vendor/certifi/cacert.pem': 'no\n',
      '.venv/lib/python3.11/site-packages/pip/url.py': 'u = "//a:${{password}}@host"\n',
      'env/conda-meta/history': '\n',
      'env/bin/tool': '\n',
      'web/node_modules/left-pad/index.js': '\n',
      'web/index.js': '\n',
      'pyvenv.cfg': 'home = /usr/bin\n',
      'tracked/site-packages/b.py': 'changed\n',
    });
    const { tree, leftOut } = await untouched(repo);
    assert.deepEqual(leftOut, [
      '.venv/ (installed packages)',
      'env/ (installed packages)',
      'web/node_modules/ (installed packages)',
    ]);
    assert.deepEqual(repo.names(tree), [
      'a.py',
      'pyvenv.cfg',
      'tracked/site-packages/b.py',
      'web/index.js',
    ]);
    assert.equal(repo.git('show', `${tree}:tracked/site-packages/b.py`), 'changed');
  });

  it('has the same tree for the same content, whatever was staged, and another one for another', async () => {
    const repo = repoAt();
    repo.write({ 'new.py': 'x\n' });
    const first = await kept(repo.folder);
    repo.git('add', 'new.py');
    const second = await kept(repo.folder);
    repo.write({ 'new.py': 'y\n' });
    const third = await kept(repo.folder);
    assert.equal(second.tree, first.tree);
    assert.notEqual(third.tree, first.tree);
  });

  it('sees a change of the same size within the second in which the index was written', async () => {
    const repo = repoAt({ 'a.py': 'aaaa\n' });
    const time = new Date(Math.floor(Date.now() / 1000) * 1000);
    utimesSync(join(repo.folder, 'a.py'), time, time);
    repo.git('update-index', '--refresh');
    utimesSync(join(repo.folder, '.git/index'), time, time);
    repo.write({ 'a.py': 'bbbb\n' });
    utimesSync(join(repo.folder, 'a.py'), time, time);
    assert.equal(repo.git('show', `${(await kept(repo.folder)).tree}:a.py`), 'bbbb');
  });

  const secrets: Readonly<Record<string, string>> = {
    '.env': 'A=1\n',
    'config/.env.local': 'A=1\n',
    'server.pem': 'x\n',
    'keys/id_rsa': 'x\n',
    'credentials.json': '{}\n',
    'notes.txt': `token ghp_${'a1B2'.repeat(9)}\n`,
    'key.txt': '-----BEGIN OPENSSH PRIVATE KEY-----\n',
    'aws.cfg': `id=AKIA${'ABCD'.repeat(4)}\n`,
    'conf.py': `API_KEY = "${'abc123XYZ'.repeat(3)}"\n`,
    'url.txt': 'postgres://ada:correcthorse@db/x\n',
  };
  for (const [name, content] of Object.entries(secrets))
    it(`leaves ${name} out, and names it`, async () => {
      const repo = repoAt();
      repo.write({
        [name]: content,
        'model.py': 'tokenizer = "EleutherAI/gpt-neox-20b"\npassword = input()\n',
      });
      const fresh = await untouched(repo);
      assert.deepEqual(repo.names(fresh.tree), ['model.py', 'train.py']);
      assert.match(
        fresh.leftOut.join(),
        new RegExp(`^${name.replace(/\W/g, '.')} \\(.*secret\\)$`),
      );
      repo.git('add', '-A');
      const staged = await untouched(repo);
      assert.deepEqual(repo.names(staged.tree), ['model.py', 'train.py']);
    });

  it('leaves large files and checkpoints out, and says how large; what the limits allow is taken', async () => {
    const repo = repoAt();
    repo.write({
      'big.txt': 'x'.repeat(11_000_000),
      'w.pt': 'x'.repeat(1_200_000),
      'small.npy': 'x'.repeat(1_000),
    });
    const { tree, leftOut } = await untouched(repo);
    assert.deepEqual(leftOut, ['big.txt (11 MB)', 'w.pt (binary of 1.2 MB)']);
    assert.deepEqual(repo.names(tree), ['small.npy', 'train.py']);
    const limits = () => ({ maxFileBytes: 500, maxTotalBytes: 1_000, maxFiles: 2 });
    repo.write({
      '1.py': 'x'.repeat(300),
      '2.py': 'x'.repeat(301),
      '3.py': 'x'.repeat(302),
      '4.py': '',
    });
    const few = await untouched(repo, { limits });
    assert.deepEqual(repo.names(few.tree), ['1.py', '4.py', 'train.py']);
    assert.ok(few.leftOut.includes('2.py (over the limit for new and changed files)'));
  });

  it('keeps what is tracked as it is in the commit, where the change may not be taken', async () => {
    const repo = repoAt({ '.env': 'A=1\n', 'conf.py': 'x\n', 'same.pem': 'x\n' });
    repo.write({ '.env': 'A=2\n', 'conf.py': `API_KEY = "${'abc123XYZ'.repeat(3)}"\n` });
    const check = async (): Promise<void> => {
      const { tree, isDirty, leftOut } = await untouched(repo);
      assert.equal(isDirty, false);
      assert.equal(repo.git('show', `${tree}:.env`), 'A=1');
      assert.equal(repo.git('show', `${tree}:conf.py`), 'x');
      assert.equal(leftOut.length, 2);
    };
    await check();
    repo.git('add', '-A');
    await check();
  });

  it('starts no hook, filter, watcher or cleaner', async () => {
    const repo = repoAt({ '.gitattributes': '*.bin filter=trap diff=trap\n', 'a.bin': 'a\n' });
    const { program, mark } = repo.trap('any');
    const names = [
      'pre-commit',
      'post-commit',
      'reference-transaction',
      'post-index-change',
      'pre-auto-gc',
    ];
    for (const name of names) symlinkSync(program, join(repo.folder, '.git/hooks', name));
    const settings = [
      'filter.trap.clean',
      'filter.trap.smudge',
      'filter.trap.process',
      'diff.trap.textconv',
    ];
    for (const key of [...settings, 'core.fsmonitor', 'diff.external', 'core.pager', 'core.editor'])
      repo.git('config', key, program);
    for (const [key, value] of [
      ['filter.trap.required', 'true'],
      ['gc.auto', '1'],
      ['commit.gpgSign', 'true'],
      ['core.logAllRefUpdates', 'always'],
    ] as const)
      repo.git('config', key, value);
    repo.git('config', 'gpg.program', program);
    rmSync(mark, { force: true });
    repo.write({ 'a.bin': 'b\n', 'new.bin': 'new\n' });
    // As if the index had been written in the same moment.
    const time = new Date();
    for (const name of ['a.bin', '.git/index']) utimesSync(join(repo.folder, name), time, time);
    const { tree } = await untouched(repo);
    assert.equal(existsSync(mark), false, 'a program of the user was started');
    assert.equal(repo.git('cat-file', '-p', `${tree}:new.bin`), 'new');
  });

  it('starts no filter that the user has for all repositories', async () => {
    const repo = repoAt({ '.gitattributes': '*.bin filter=trap\n' });
    const { program, mark } = repo.trap('global');
    const settings = join(scratch(), 'gitconfig');
    writeFileSync(settings, `[filter "trap"]\n\tclean = ${program}\n\tsmudge = ${program}\n`);
    repo.write({ 'a.bin': 'a\n' });
    const env = { ...process.env, GIT_CONFIG_GLOBAL: settings };
    const filtering = new LocalMachine({ runsFolder: join(home(), 'runs'), workFolder: '/', env });
    const state = await background().capture(filtering, repo.folder, 'e1');
    assert.deepEqual(repo.names((state as Kept).tree), ['.gitattributes', 'a.bin']);
    assert.equal(existsSync(mark), false);
  });

  it('leaves out what any of the lists of ignored files names', async () => {
    const repo = repoAt();
    repo.write({
      '.git/info/exclude': '*.one\n',
      '../my ignored': '*.two\n',
      'a.one': '',
      'a.two': '',
      'a.three': '',
      'helios-reports/x/brief.md': '',
    });
    repo.git('config', 'core.excludesFile', join(scratch(), 'my ignored'));
    assert.deepEqual(repo.names((await untouched(repo)).tree), ['a.three', 'train.py']);
  });

  it('knows another state where a file that is named and ignored has changed, and says that it is not kept', async () => {
    const repo = repoAt({ 'train.py': 'x\n', '.gitignore': 'mine*\nconf/\nold.py\n' });
    repo.write({
      'sub/mine 1.py': 'a',
      'sub/conf/lr.yaml': '1',
      'sub/mine.bin': 'b',
      'sub/other.py': 'o',
    });
    const state = async (command: string): Promise<Kept> =>
      (await background().capture(machine(), join(repo.folder, 'sub'), 'e1', [command])) as Kept;
    const command =
      'python "mine 1.py" --config=conf/lr.yaml --data mine.bin other.py gone.py ../../x.py';
    const first = await state(command);
    assert.deepEqual(first.leftOut, ['sub/conf/lr.yaml (ignored)']);
    assert.equal((await state(command)).ignored, first.ignored);
    repo.write({ 'sub/mine.bin': 'bb' });
    assert.equal((await state(command)).ignored, first.ignored);
    repo.write({ 'sub/conf/lr.yaml': '2' });
    const second = await state(command);
    assert.notEqual(second.ignored, first.ignored);
    assert.equal(second.tree, first.tree);
    assert.notEqual(codeKey({ code: second }), codeKey({ code: first }));
    assert.equal((await state('python train.py')).ignored, undefined);
  });

  it('is none in a folder that the repository around it ignores', async () => {
    const repo = repoAt({ 'train.py': 'x\n', '.gitignore': 'work/\n*.tmp\n', 'kept/a.py': '1' });
    repo.write({ 'work/deep/train.py': '1' });
    const state = await capture(join(repo.folder, 'work/deep'));
    assert.equal(state.kind, 'none');
    assert.match((state as Extract<CodeState, { kind: 'none' }>).why, /ignores it/);
    repo.write({ 'work/in.py': '1' });
    repo.git('add', '-f', 'work/in.py');
    assert.equal((await capture(join(repo.folder, 'work'))).kind, 'git');
  });

  it('keeps line ends as the settings of the repository say', async () => {
    const repo = repoAt({ 'a.txt': 'a\n' });
    repo.git('config', 'core.autocrlf', 'true');
    repo.write({ 'new.txt': 'x\r\ny\r\n' });
    assert.equal(repo.git('cat-file', '-p', `${(await untouched(repo)).tree}:new.txt`), 'x\ny');
  });

  it('works from a folder below, and in a worktree that is linked', async () => {
    const repo = repoAt({ 'a.py': 'a\n', 'sub/b.py': 'b\n' });
    assert.equal((await kept(join(repo.folder, 'sub'))).repo, repo.folder);
    const linked = new GitRepo(join(scratch(), 'linked'));
    repo.git('worktree', 'add', '-q', '-b', 'side', linked.folder);
    linked.write({ 'only-here.py': 'x\n' });
    const before = pictureOf(repo.folder);
    const state = await kept(linked.folder);
    assert.equal(state.repo, linked.folder);
    assert.deepEqual(repo.names(state.tree), ['a.py', 'only-here.py', 'sub/b.py']);
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
  });

  it('works in folders whose names have a line break', async () => {
    const repo = GitRepo.create(join(scratch(), 'two\nlines'));
    repo.write({ 'below\nthat/b.py': 'b\n' });
    const state = await kept(join(repo.folder, 'below\nthat'));
    assert.deepEqual([state.repo, state.head], [repo.folder, repo.git('rev-parse', 'HEAD')]);
  });

  it('works without a commit, and with another kind of hash', async () => {
    for (const options of [[], ['--object-format=sha256']]) {
      const repo = GitRepo.empty(join(scratch(), `empty${options.length}`), ...options);
      repo.write({ 'a.py': 'a\n' });
      const { head, isDirty, tree, commit } = await untouched(repo);
      assert.deepEqual([head, isDirty, repo.names(tree)], [undefined, true, ['a.py']]);
      assert.equal(repo.git('rev-parse', `${commit}^{tree}`), tree);
    }
  });

  it('records submodules without going into them, and leaves other repositories out', async () => {
    const other = GitRepo.create(join(scratch(), 'other'));
    const repo = repoAt();
    repo.git(
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      other.folder,
      'lib',
    );
    repo.git('commit', '-qm', 'with lib');
    const { program, mark } = repo.trap('sub');
    const lib = new GitRepo(join(repo.folder, 'lib'));
    lib.git('config', 'core.fsmonitor', program);
    rmSync(mark, { force: true });
    lib.write({ 'train.py': 'dirty\n' });
    GitRepo.create(join(repo.folder, 'nested'));
    const clean = await untouched(repo);
    assert.deepEqual(
      [clean.isDirty, clean.leftOut],
      [false, ['nested/ (a separate git repository)']],
    );
    assert.equal(existsSync(mark), false);
    lib.git('config', '--unset', 'core.fsmonitor');
    lib.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qam', 'moved');
    assert.equal(
      repo.git('rev-parse', `${(await untouched(repo)).tree}:lib`),
      lib.git('rev-parse', 'HEAD'),
    );
  });

  it('takes conflicts, intents and files that are not looked at as they stand', async () => {
    const repo = repoAt({ 'a.py': 'a\n', 'quiet.py': 'q\n', 'skipped.py': 's\n' });
    repo.git('checkout', '-qb', 'side');
    repo.write({ 'a.py': 'side\n' });
    repo.git('commit', '-qam', 'side');
    repo.git('checkout', '-q', 'main');
    repo.write({ 'a.py': 'main\n', 'meant.py': 'm\n' });
    repo.git('commit', '-qam', 'main');
    assert.throws(() => repo.git('merge', 'side'));
    repo.git('add', '-N', 'meant.py');
    repo.git('update-index', '--assume-unchanged', 'quiet.py');
    repo.git('update-index', '--skip-worktree', 'skipped.py');
    repo.write({ 'quiet.py': 'loud\n', 'skipped.py': 'there\n' });
    const { tree } = await untouched(repo);
    assert.match(repo.git('show', `${tree}:a.py`), /<<<<<<<[^]*side/);
    assert.deepEqual(
      ['meant.py', 'quiet.py', 'skipped.py'].map((name) => repo.git('show', `${tree}:${name}`)),
      ['m', 'loud', 'there'],
    );
  });

  it('reads an index that is split, and one with the extras of a watcher', async () => {
    const repo = repoAt({ 'a.py': 'a\n', 'b.py': 'b\n' });
    repo.git('config', 'core.untrackedCache', 'true');
    repo.git('update-index', '--split-index', '--untracked-cache');
    repo.write({ 'a.py': 'changed\n' });
    assert.deepEqual(repo.names((await untouched(repo)).tree), ['a.py', 'b.py']);
  });

  it('is not held up by a git of the user, and does not hold one up', async () => {
    const repo = repoAt();
    for (const lock of ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock'])
      writeFileSync(join(repo.folder, '.git', lock), '');
    repo.write({ 'a.py': 'x\n' });
    assert.equal((await untouched(repo)).isDirty, true);
  });

  it('keeps two states side by side, and replaces one under its name', async () => {
    const repo = repoAt();
    const keep = background();
    repo.write({ 'a.py': '1\n' });
    const states = await Promise.all(
      ['e1', 'e2', 'e3'].map((name) => keep.capture(machine(), repo.folder, name)),
    );
    assert.equal(new Set(states.map((state) => (state as Kept).tree)).size, 1);
    repo.write({ 'a.py': '2\n' });
    const again = (await keep.capture(machine(), repo.folder, 'e1')) as Kept;
    assert.equal(repo.git('rev-parse', `refs/helios/${sessionId}/e1`), again.commit);
    assert.equal(repo.git('for-each-ref', 'refs/helios').split('\n').length, 3);
  });

  // The superuser writes everywhere.
  if (process.getuid?.() !== 0)
    it('tells the tree of a repository that it cannot write, without keeping it', async () => {
      const repo = repoAt();
      repo.write({ 'a.py': 'x\n' });
      const objects = join(repo.folder, '.git/objects');
      chmodSync(objects, 0o555);
      const { commit, tree } = await kept(repo.folder);
      chmodSync(objects, 0o755);
      assert.equal(commit, undefined);
      assert.match(tree, /^[0-9a-f]{40}$/);
    });

  const none: Readonly<Record<string, readonly [string, RegExp]>> = {
    'a folder that is in no repository': ['plain', /not in a git repository/],
    'a folder that is not there': ['nowhere', /no such folder/],
    'a bare repository': ['bare', /bare: it has no worktree/],
  };
  for (const [what, [name, why]] of Object.entries(none))
    it(`says why ${what} has no state`, async () => {
      mkdirSync(join(scratch(), 'plain'));
      GitRepo.empty(join(scratch(), 'source'));
      spawnSync('git', ['init', '-q', '--bare', join(scratch(), 'bare')]);
      const state = await capture(join(scratch(), name));
      assert.equal(state.kind, 'none');
      assert.match((state as Extract<CodeState, { kind: 'none' }>).why, why);
    });

  it('says that there is no git, that a name is none, and that it took too long', async () => {
    const repo = repoAt();
    const bin = join(scratch(), 'bin');
    mkdirSync(bin);
    for (const tool of ['sh', 'env', 'sed', 'grep', 'cat'])
      symlinkSync(`/bin/${tool}`, join(bin, tool));
    const poor = new LocalMachine({
      runsFolder: join(home(), 'runs'),
      workFolder: '/',
      env: { PATH: bin },
    });
    const why = async (state: Promise<CodeState>): Promise<string> =>
      ((await state) as Extract<CodeState, { kind: 'none' }>).why;
    assert.match(await why(background().capture(poor, repo.folder, 'e1')), /no git/);
    assert.match(await why(capture(repo.folder, '../../heads/main')), /is not a valid name/);
    const before = pictureOf(repo.folder);
    const late = /^The code could not be read within 1 ms on local: the repository is large/;
    assert.match(await why(capture(repo.folder, 'e1', { timeoutMs: 1 })), late);
    const silent = new LocalMachine({
      runsFolder: join(home(), 'runs'),
      workFolder: '/',
      env: process.env,
    });
    Object.assign(silent, { ready: () => new Promise<void>(() => undefined) });
    assert.match(await why(background({ timeoutMs: 1 }).capture(silent, repo.folder, 'e1')), late);
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
  });

  it('ignores what the environment says of git', async () => {
    const repo = repoAt();
    const other = GitRepo.create(join(scratch(), 'other'), { 'other.py': 'x\n' });
    const env = {
      ...process.env,
      GIT_DIR: join(other.folder, '.git'),
      GIT_WORK_TREE: other.folder,
      GIT_INDEX_FILE: '/dev/null',
    };
    const misled = new LocalMachine({ runsFolder: join(home(), 'runs'), workFolder: '/', env });
    const state = await background().capture(misled, repo.folder, 'e1');
    assert.equal((state as Kept).repo, repo.folder);
  });

  it('says that the disk is full, and takes nothing away', async () => {
    const repo = repoAt();
    repo.write({ 'a.py': 'x'.repeat(100_000) });
    const before = pictureOf(repo.folder);
    const env = { ...process.env, PATH: `${limited(scratch())}:${process.env.PATH}` };
    const small = new LocalMachine({ runsFolder: join(home(), 'runs'), workFolder: '/', env });
    const state = await background().capture(small, repo.folder, 'e1');
    assert.equal(state.kind, 'none');
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
    assert.equal(repo.git('for-each-ref', 'refs/helios'), '');
  });

  it('takes names of any letters, and finds the one secret among many files', async () => {
    const repo = repoAt();
    const odd = [
      ' a b.py',
      '-n.py',
      'q"uo\\te.py',
      '"a"',
      'ü-\u{1f600}.py',
      "it's $HOME.py",
      '? x',
    ];
    const many = Array.from({ length: 900 }, (_, at) => `folder ${at % 7}/a long name ${at}.py`);
    repo.write({
      ...Object.fromEntries([...odd, ...many].map((name) => [name, 'x\n'])),
      'folder 6/zz.py': `token = "ghp_${'a1B2'.repeat(9)}"\n`,
      'line\nbreak.py': 'x\n',
    });
    const { tree, leftOut } = await untouched(repo);
    const names = repo.git('ls-tree', '-r', '-z', '--name-only', tree).split('\0').filter(Boolean);
    assert.deepEqual(names.toSorted(), ['train.py', ...odd, ...many].toSorted());
    assert.equal(leftOut.length, 2);
    repo.git('update-index', '--assume-unchanged', 'train.py');
    repo.git('add', '-A');
    repo.git('update-index', '--assume-unchanged', 'q"uo\\te.py');
    repo.write({ 'q"uo\\te.py': 'changed\n' });
    const { tree: later } = await untouched(repo);
    assert.equal(repo.git('show', `${later}:q"uo\\te.py`), 'changed');
    assert.equal(repo.names(later).length, repo.names(tree).length);
  }).timeout(240_000);

  /** A machine whose programs write their command line to the log; before that, `first` runs. */
  const spied = (first = ''): { readonly spied: LocalMachine; log(): readonly string[] } => {
    const bin = join(scratch(), 'bin');
    const log = join(scratch(), 'programs');
    mkdirSync(bin);
    for (const folder of ['/bin', '/usr/bin'])
      for (const name of readdirSync(folder).filter((each) => !existsSync(join(bin, each))))
        writeFileSync(
          join(bin, name),
          `#!/bin/sh\nline="${name} $*"\n${first}echo "$line" >>'${log}'\nexec ${join(folder, name)} "$@"\n`,
          { mode: 0o755 },
        );
    return {
      spied: new LocalMachine({
        runsFolder: join(home(), 'runs'),
        workFolder: '/',
        env: { ...process.env, PATH: bin },
        // The command has ended only when its pipes are closed.
        clock: new ManualClock(),
      }),
      log: () => readFileSync(log, 'utf8').trim().split('\n'),
    };
  };

  it('is one command on the machine, and few programs', async () => {
    const repo = repoAt();
    repo.write({ 'train.py': 'changed\n', 'new.py': 'x\n' });
    const { spied: machine, log } = spied();
    const state = await background().capture(machine, repo.folder, 'e1');
    assert.equal(state.kind, 'git');
    await until('the end of the script', () => log().some((line) => line.startsWith('rm ')));
    assert.ok(log().length <= 14, log().join('\n'));
  }).timeout(240_000);

  it('does not wait for one program after the other', async () => {
    const repo = repoAt();
    repo.write({ 'train.py': 'changed\n', 'new.py': 'x\n' });
    const begun = join(scratch(), 'begun');
    const removable = join(scratch(), 'removable');
    mkdirSync(begun);
    // Each of the programs waits until those have begun that need nothing of it.
    const first = `
      path=$PATH
      PATH=/usr/bin:/bin
      await() { for each; do until [ -e "${begun}/$each" ]; do sleep 0.01; done; done; }
      case "$line" in
        mkdir*) : >${begun}/mkdir && await rev-parse ;;
        *' rev-parse '*) : >${begun}/rev-parse && await mkdir ;;
        cp*) : >${begun}/cp && await config ;;
        *' config --get-regexp '*) : >${begun}/config && await cp ;;
        *' ls-files '*) : >${begun}/ls-files && await diff-files grep ;;
        'grep ^['*) : >${begun}/grep ;;
        *' diff-index '*) : >${begun}/diff-index && await diff-files ;;
        *' diff-files '*) : >${begun}/diff-files && await ls-files diff-index ;;
        find*) : >${begun}/find && await ls ;;
        'ls -ldn'*) : >${begun}/ls && await find ;;
        *' write-tree '*) await hash-object update-ref ;;
        *' hash-object '*) : >${begun}/hash-object ;;
        *' update-ref '*) : >${begun}/update-ref && await diff-tree ;;
        *' diff-tree '*) : >${begun}/diff-tree ;;
        rm*) await ../removable ;;
      esac
      PATH=$path
    `;
    const { spied: machine, log } = spied(first);
    // On this computer, files are inspected without programs.
    Object.assign(machine, { kind: 'ssh' });
    const compared = (): string[] => [repo.git('rev-parse', 'HEAD^{tree}')];
    const store = background({ timeoutMs: 120_000, compared });
    const state = await store.capture(machine, repo.folder, 'e1', ['sh train.sh']);
    assert.equal(state.kind, 'git', JSON.stringify(state));
    writeFileSync(removable, '');
    await until('the end of the script', () => log().some((line) => line.startsWith('rm ')));
  }).timeout(240_000);

  it('is compared with other trees, also where it is not stored', async () => {
    const repo = repoAt({ 'a.py': 'a = 1\n', 'b.py': 'b = 1\n' });
    const first = repo.git('rev-parse', 'HEAD^{tree}');
    repo.write({ 'a.py': '# about a\na = 1\n' });
    const others = ['1'.repeat(40), first];
    const store = background({ compared: () => others });
    const request = { repo: repo.folder, others, commands: ['a'], clock: systemClock };
    for (const name of ['e1', undefined]) {
      const code = (await store.capture(machine(), repo.folder, name, ['a'])) as Kept;
      const { tree } = code;
      const differences = store.differences(code);
      assert.match(differences ?? '', new RegExp(`^${first} ${tree}\ndiff --git a/a.py`));
      assert.equal(await sameCode(machine(), { ...request, tree, differences }), first);
    }
    const uncompared = await store.capture(machine(), repo.folder, 'e1');
    assert.equal(store.differences(uncompared), undefined);
  });

  it('is repeatable after a kill in the middle', async () => {
    const repo = repoAt();
    repo.write({ 'a.py': 'x\n' });
    const before = pictureOf(repo.folder);
    const cut = await capture(repo.folder, 'e1', { timeoutMs: 60 });
    const again = await kept(repo.folder);
    assert.ok(cut.kind === 'none' || cut.tree === again.tree);
    assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
  });
});

/** A git that cannot write more than a few blocks. */
function limited(scratch: string): string {
  const bin = join(scratch, 'small');
  mkdirSync(bin);
  const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/bash\ncase " $* " in *' update-index '*) trap '' XFSZ; ulimit -f 0 ;; esac\nexec ${git} "$@"\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}
