/** Reads a repository full of traps through the guard. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../../src/base/clock.ts';
import { installGuard, withGuard } from '../../../../src/experiments/git/installGuard.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { differences, GitRepo, pictureOf } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { trappedRepo } from '../../../fakes/trappedRepo.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

/** Print the same in a clean clone. */
const reading: readonly string[] = [
  'git status',
  'git status --porcelain=2',
  'git diff',
  'git diff HEAD',
  'git diff --cached',
  'git diff --stat',
  'git diff --no-index train.py notes.txt',
  'git diff main side',
  'git diff --submodule=log',
  'git -C sub diff',
  'git log -p',
  'git log -p -m --first-parent',
  'git log --stat --oneline -3',
  'git log -G one -p --oneline',
  'git log -L 1,1:train.py',
  'git log --show-signature -1',
  'git log --format=%G?',
  'git log --remerge-diff | grep -v ^index',
  'git show',
  'git show HEAD:train.py',
  'git show -m HEAD~1',
  'git whatchanged -p',
  'git blame train.py',
  'git blame HEAD -- notes.txt',
  'git annotate train.py',
  'git shortlog HEAD',
  'git cat-file -p HEAD:train.py',
  'git cat-file --filters HEAD:train.py',
  'git diff-files -p',
  'git diff-files',
  'git diff-index HEAD',
  'git diff-index -p HEAD',
  'git diff-tree -p HEAD~1 HEAD',
  'git archive HEAD | tar t',
  'git archive HEAD | tar xO',
  'git archive --format=tgz HEAD | tar tz',
  'git archive --format=tar.gz HEAD | tar tz',
  'git stash show',
  'git stash show -p',
  'git stash list',
  'git stash list -p',
  'git reflog -p',
  'git grep -n e',
  'git grep --cached one',
  'git grep --recurse-submodules inner',
  'git describe --always',
  'git range-diff HEAD~1 HEAD side',
  'git cherry HEAD side',
  'git show-branch',
  'git rev-parse HEAD',
  'git rev-list --all --format=%G?',
  'git worktree list | wc -l',
  'git submodule status',
  'git submodule summary',
  'git submodule summary --files',
  'git for-each-ref',
  'git branch -vv',
  'git tag -n',
  'git check-attr filter train.py',
  'git ls-files -m',
  'git ls-files -t -o -d -c',
  'git hash-object train.py',
  'git merge-base HEAD side',
  'git notes list',
  'git fsck',
  'git count-objects',
];

/** Refused, or answered with an error; in any case nothing is started. */
const never: readonly string[] = [
  'git status -vv',
  'git diff --ext-diff',
  'git diff --ext',
  'git log -p --ext-diff',
  'git log -p --textconv',
  'git show --textconv HEAD:train.py',
  'git diff --submodule=diff',
  'git log -p --submodule=diff',
  'git blame --textconv train.py',
  'git cat-file --textconv HEAD:train.py',
  'git grep --textconv one',
  'git grep --textc one',
  'git archive --format=zz HEAD',
  'git log --alternate-refs',
  'git rev-list --alternate-refs',
  'git log --help',
  'git status --help',
  'git lfs env',
  'git lfs ls-files',
  'git ls-remote',
  'git ls-remote origin',
  'git ls-remote byext',
  'git ls-remote byssh',
  'git ls-remote bygit',
  'git remote show origin',
  'git remote show byext',
  'git config --list',
  'git config --get core.pager',
  'git var GIT_PAGER',
  'git fetch origin',
];

/** Makes git write nothing, as the guard does. */
const asGuarded = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'diff.autoRefreshIndex',
  GIT_CONFIG_VALUE_0: 'false',
};

/** Answers as git-lfs does for the contents that the tests have. */
const lfs = `#!/bin/sh
: >"$0.started"
[ "$1" != clean ] || echo pointer
`;

/** Without the names of folders and of the sides of a conflict. */
const comparable = (text: string): string =>
  text
    .replaceAll(/trapped|clean/g, 'REPO')
    .replaceAll(/(<{7}|>{7}) .*/g, '$1')
    .replaceAll(/\(Not Committed Yet\s[^)]*\)/g, '(Not Committed Yet)');

describe('reading a repository full of traps', function () {
  // Each command starts many processes.
  this.timeout(400_000);

  const scratch = scratchFolder();
  /** GnuPG prints more when it is used for the first time: it is used before the commands are. */
  const keyrings = (): NodeJS.ProcessEnv => {
    const GNUPGHOME = join(scratch(), 'gnupg');
    mkdirSync(GNUPGHOME, { recursive: true, mode: 0o700 });
    spawnSync('gpg', ['--list-keys'], { env: { ...process.env, GNUPGHOME } });
    return { GNUPGHOME };
  };
  /** `git` stands for an older version, which does not know how to do without lazy fetches. */
  const begin = async (isOlder = false) => {
    const trapped = trappedRepo(scratch());
    const bin = join(scratch(), 'bin');
    mkdirSync(bin);
    const unset = isOlder ? 'unset GIT_NO_LAZY_FETCH\n' : '';
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${unset}exec /usr/bin/git "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const machine = new LocalMachine({
      runsFolder: join(scratch(), 'helios/runs'),
      workFolder: trapped.repo.folder,
      env: { ...process.env, ...keyrings(), PATH: `${bin}:${process.env.PATH}` },
    });
    const state = await installGuard(machine);
    assert.equal(state.kind, 'ready');
    const guard = state.kind === 'ready' ? state.folder : '';
    const run = (command: string, cwd = trapped.repo.folder) =>
      machine.exec(withGuard(guard, command), { cwd, timeoutMs: 60_000 });
    return { ...trapped, machine, guard, run };
  };

  for (const isOlder of [false, true])
    it(`starts none of its programs and prints the truth${isOlder ? ', with an older git' : ''}`, async () => {
      const { repo, clean, started, run } = await begin(isOlder);
      const before = pictureOf(repo.folder);
      started();
      const problems: string[] = [];
      for (const command of reading) {
        const { stdout, stderr, outcome } = await run(command);
        const marks = started();
        if (marks.length > 0) problems.push(`${command}: ${marks.join(' ')}`);
        const expected = spawnSync('/bin/sh', ['-c', command], {
          cwd: clean.folder,
          encoding: 'utf8',
          env: { ...process.env, ...keyrings(), ...asGuarded },
        });
        if (comparable(stdout) !== comparable(expected.stdout))
          problems.push(`${command} printed ${stdout}\n${stderr}\ninstead of ${expected.stdout}`);
        if (outcome.kind !== 'exited' || outcome.code !== expected.status)
          problems.push(`${command}: ${JSON.stringify(outcome)} ${stderr}`);
      }
      for (const command of never) {
        await run(command);
        const marks = started();
        if (marks.length > 0) problems.push(`${command}: ${marks.join(' ')}`);
      }
      assert.deepEqual(problems, []);
      assert.deepEqual(differences(before, pictureOf(repo.folder)), []);
    });

  it('starts no file of the repository that the user names by a relative path', async () => {
    const { clean, machine, guard } = await begin();
    const home = join(scratch(), 'home');
    mkdirSync(home);
    for (const program of ['./strip.sh', 'sub/../strip.sh', `'./strip.sh'`, '!./strip.sh']) {
      const text = `[filter "one"]\n\tclean = "${program}"\n`;
      writeFileSync(join(home, '.gitconfig'), text);
      clean.write({ 'strip.sh': '#!/bin/sh\n: >strip.started\ncat\n' });
      chmodSync(join(clean.folder, 'strip.sh'), 0o755);
      const command = withGuard(guard, `export HOME='${home}'; git diff --stat`);
      const { stdout } = await machine.exec(command, { cwd: clean.folder });
      assert.match(stdout, /train\.py/, program);
      assert.ok(!existsSync(join(clean.folder, 'strip.started')), program);
    }
  });

  it('prints its settings as they are', async () => {
    const { run, started } = await begin();
    assert.match((await run('git config filter.one.clean')).stdout, /traps\/config-one-clean$/m);
    assert.doesNotMatch((await run('git config --list')).stdout, /^filter\.one\.clean=$/m);
    assert.deepEqual(started(), []);
  });

  it('asks no credential helper of the repository', async () => {
    const { run, started } = await begin();
    const server = createServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm=x' }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const { stderr } = await run(`git ls-remote http://127.0.0.1:${port}/x`);
      assert.match(stderr, /could not read Username|Authentication failed/);
      assert.deepEqual(started(), []);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('shows a remote without asking it', async () => {
    const { run } = await begin();
    assert.match((await run('git remote show origin')).stdout, /not queried/);
    assert.match((await run('git ls-remote origin')).stdout, /refs\/heads\/main/);
  });

  it('fetches no object that is missing, with an older git', async () => {
    const { repo, started, run } = await begin(true);
    const blob = repo.git('-c', 'diff.external=', 'rev-parse', 'HEAD:run.ini');
    rmSync(join(repo.folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    for (const command of [
      'git show',
      'git log -p',
      `git cat-file -p ${blob}`,
      'git archive HEAD',
    ]) {
      const { stderr } = await run(command);
      assert.deepEqual(started(), [], command);
      if (command !== 'git show') assert.match(stderr, /not allowed|missing|unable/, command);
    }
  });

  it('starts none of its programs in a worktree of an experiment', async () => {
    const { repo, machine, started, run } = await begin();
    const { path } = await new Worktrees({ sessionId, clock: systemClock }).branch({
      machine,
      folder: repo.folder,
      name: 'a',
    });
    assert.deepEqual(started(), []);
    const tree = new GitRepo(path);
    const commands = [
      'git add -A',
      'git reset -q --hard',
      'git checkout HEAD~1 -- train.py',
      'git restore --staged .',
      'git reset -q --hard side',
    ];
    for (const command of commands) {
      tree.write({ 'train.py': `${command}\n`, 'notes.txt': `${command}\n` });
      const { outcome, stderr } = await run(command, path);
      assert.deepEqual(outcome, { kind: 'exited', code: 0 }, `${command}: ${stderr}`);
      assert.deepEqual(started(), [], command);
    }
  });

  it('refuses to read where a name of a program cannot be overridden', async () => {
    const { repo, started, run } = await begin();
    const config = join(repo.folder, '.git/config');
    const planted = readFileSync(config, 'utf8');
    writeFileSync(config, `${planted}[filter "a=b"]\n\tclean = x\n`);
    assert.match((await run('git status')).stderr, /filter\.a=b\.clean of this repository/);
    writeFileSync(config, planted);
    repo.git(
      '-c',
      'core.fsmonitor=',
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${repo.git('rev-parse', 'HEAD')},a\nb`,
    );
    mkdirSync(join(repo.folder, 'a\nb/.git'), { recursive: true });
    started();
    assert.match((await run('git status')).stderr, /names a program/);
    assert.deepEqual(started(), []);
  });

  it('uses git-lfs as the user installed it, but not with extensions of the repository', async () => {
    const { clean, machine, guard } = await begin();
    const home = join(scratch(), 'home');
    mkdirSync(home);
    const program = join(scratch(), 'bin/git-lfs');
    writeFileSync(program, lfs);
    chmodSync(program, 0o755);
    writeFileSync(
      join(home, '.gitconfig'),
      '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n',
    );
    writeFileSync(join(clean.folder, '.git/info/attributes'), '*.ini filter=lfs\n');
    clean.git('-c', `filter.lfs.clean=${program} clean`, 'add', 'run.ini');
    clean.git('commit', '-qm', 'pointer');
    utimesSync(join(clean.folder, 'run.ini'), 1, 1);
    const status = async (): Promise<string> => {
      const command = withGuard(guard, `export HOME='${home}'; git status --porcelain run.ini`);
      return (await machine.exec(command, { cwd: clean.folder })).stdout;
    };
    rmSync(`${program}.started`);
    assert.equal(await status(), '');
    assert.ok(existsSync(`${program}.started`));
    rmSync(`${program}.started`);
    clean.git('config', 'lfs.extension.x.clean', 'x');
    assert.equal(await status(), ' M run.ini\n');
    assert.ok(!existsSync(`${program}.started`));
  });
});
