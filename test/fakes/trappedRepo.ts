/**
 * A repository whose configuration names a program wherever git lets it, and its clean twin. Each
 * program leaves a mark when it is started.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitRepo } from './gitRepo.ts';

const hooks =
  'post-checkout post-index-change pre-commit post-commit reference-transaction fsmonitor-watchman post-merge pre-auto-gc post-rewrite sendemail-validate'.split(
    ' ',
  );

const attributes = `*.py filter=one diff=conv merge=driver
*.txt filter=two diff=command
*.bin filter=three diff=both
*.cfg filter=included
*.ini filter=worktree
*.toml filter=hasconfig
`;

export interface TrappedRepo {
  readonly repo: GitRepo;
  /** The same repository with the configuration that git gives a clone. */
  readonly clean: GitRepo;
  /** Returns the path of a program that leaves a mark. */
  trap(name: string): string;
  /** Returns the names of the programs that were started since the last call. */
  started(): readonly string[];
}

/** Makes the repository below `folder`, with a submodule, a stash, merges and changed files. */
export function trappedRepo(folder: string): TrappedRepo {
  const marks = join(folder, 'marks');
  const traps = join(folder, 'traps');
  for (const made of [marks, traps]) mkdirSync(made, { recursive: true });
  const trap = (name: string): string => {
    const program = join(traps, name);
    const rest = /-(?:clean|smudge|gz|zz)$/.test(name) ? 'exec cat' : 'cat -- "$1" 2>/dev/null';
    writeFileSync(program, `#!/bin/sh\n: >'${marks}/${name}'\n${rest}\n`);
    chmodSync(program, 0o755);
    return program;
  };
  const started = (): readonly string[] => {
    const names = readdirSync(marks);
    for (const name of names) spawnSync('rm', ['-f', join(marks, name)]);
    return names;
  };
  const { folder: original } = originalRepo(folder);
  const [repo, clean] = ['trapped', 'clean'].map((name) => {
    cpSync(original, join(folder, name), { recursive: true, verbatimSymlinks: true });
    return new GitRepo(join(folder, name));
  }) as [GitRepo, GitRepo];
  for (const config of ['config', 'modules/sub/config', '../embedded/.git/config'])
    plant(join(repo.folder, '.git', config), trap, config.replaceAll(/\W/g, '-'));
  for (const name of hooks) {
    const hook = join(repo.folder, '.git/hooks', name);
    writeFileSync(hook, readFileSync(trap(`hook-${name}`)));
    chmodSync(hook, 0o755);
  }
  return { repo, clean, trap, started };
}

function originalRepo(folder: string): GitRepo {
  const sub = GitRepo.create(join(folder, 'sub-origin'), {
    '.gitattributes': attributes,
    'inner.py': 'inner\n',
    'inner.txt': 'inner\n',
  });
  const repo = GitRepo.create(join(folder, 'original'), {
    '.gitattributes': attributes,
    'train.py': 'one\n',
    'notes.txt': 'one\n',
    'data.bin': Buffer.from('\0one\n').toString(),
    'run.cfg': 'one\n',
    'run.ini': 'one\n',
    'run.toml': 'one\n',
  });
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub.folder, 'sub');
  cpSync(sub.folder, join(repo.folder, 'embedded'), { recursive: true });
  writeFileSync(
    join(repo.folder, '.git/objects/info/alternates'),
    `${join(sub.folder, '.git/objects')}\n`,
  );
  repo.git('add', 'embedded');
  repo.git('commit', '-qm', 'submodules');
  merge(repo);
  sign(repo);
  repo.git('tag', '-am', 'signed not', 'v1');
  repo.write({ 'train.py': 'stashed\n', 'notes.txt': 'stashed\n', 'data.bin': '\0stashed\n' });
  repo.git('stash');
  repo.write({ 'train.py': 'staged\n' });
  repo.git('add', 'train.py');
  for (const name of ['train.py', 'notes.txt', 'data.bin', 'run.cfg', 'run.toml', 'sub/inner.py'])
    repo.write({ [name]: `${name} \0 changed\n`.replace(name === 'data.bin' ? '' : '\0', '') });
  repo.write({ 'run.ini': 'one\n', 'embedded/inner.txt': 'changed\n', 'new.py': 'new\n' });
  return repo;
}

/** Makes a merge with a conflict, which `--remerge-diff` repeats. */
function merge(repo: GitRepo): void {
  repo.git('checkout', '-qb', 'side');
  repo.write({ 'train.py': 'side\n', 'notes.txt': 'side\n' });
  repo.git('commit', '-qam', 'side');
  repo.git('checkout', '-q', 'main');
  repo.write({ 'train.py': 'main\n', 'data.bin': '\0two\n' });
  repo.git('commit', '-qam', 'main');
  spawnSync('git', ['merge', '-q', 'side'], { cwd: repo.folder });
  repo.write({ 'train.py': 'merged\n' });
  repo.git('commit', '-qam', 'merged');
}

/** Replaces the last commit by one with a signature that no key made. */
function sign(repo: GitRepo): void {
  const signature = `gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n`;
  const text = repo.git('cat-file', 'commit', 'HEAD').replace('\n\n', `\n${signature}\n`);
  const { stdout } = spawnSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: repo.folder,
    input: `${text}\n`,
    encoding: 'utf8',
  });
  repo.git('reset', '-q', '--soft', stdout.trim());
}

const commands =
  'status diff log show blame lfs whatchanged range-diff archive column range-diff grep stash describe submodule version var'.split(
    ' ',
  );

/** Adds to a file of configuration all that names a program. */
function plant(file: string, trap: (name: string) => string, where: string): void {
  const named = (name: string): string => trap(`${where}-${name}`);
  const section = (head: string, settings: Readonly<Record<string, string>>): string =>
    `[${head}]\n${Object.entries(settings)
      .map(([key, value]) => `\t${key} = ${value}\n`)
      .join('')}`;
  const filter = (name: string): string =>
    section(`filter "${name}"`, {
      clean: named(`${name}-clean`),
      smudge: named(`${name}-smudge`),
      required: 'true',
    });
  const text = [
    section('extensions', { worktreeConfig: 'true' }),
    section('core', {
      fsmonitor: named('fsmonitor'),
      pager: named('pager'),
      editor: named('editor'),
      sshCommand: named('ssh'),
      gitProxy: named('proxy'),
      askPass: named('askpass'),
      alternateRefsCommand: named('alternate'),
    }),
    section('sequence', { editor: named('sequence') }),
    section('gpg', { program: named('gpg') }),
    section('gpg "openpgp"', { program: named('openpgp') }),
    section('interactive', { diffFilter: named('interactive') }),
    section('credential', { helper: `!${named('credential')}` }),
    section('diff', { external: named('external'), submodule: 'diff' }),
    section('diff "conv"', { textconv: named('textconv') }),
    section('diff "command"', { command: named('command') }),
    section('diff "both"', {
      ...{ command: named('both'), textconv: named('both-conv'), cachetextconv: 'true' },
    }),
    filter('one'),
    section('filter "two"', { process: named('process'), required: 'true' }),
    filter('three'),
    section('merge "driver"', { driver: `${named('merge')} %A` }),
    ...['tgz', 'tar.gz', 'zz'].map((name) =>
      section(`tar "${name}"`, { command: named(`tar-${name}`) }),
    ),
    section('help', { format: 'man' }),
    section('man', { viewer: 'evil' }),
    section('man "evil"', { cmd: named('man') }),
    section('alias', Object.fromEntries(commands.map((name) => [name, `!${named('alias')}`]))),
    section('pager', Object.fromEntries(commands.map((name) => [name, named('pager-of')]))),
    section('protocol', { allow: 'always' }),
    ...['file', 'ext', 'ssh', 'git'].map((name) =>
      section(`protocol "${name}"`, { allow: 'always' }),
    ),
    section('remote "origin"', {
      ...{ url: '.', uploadpack: named('uploadpack'), promisor: 'true' },
      fetch: '+refs/heads/*:refs/remotes/origin/*',
    }),
    section('remote "byext"', { url: `ext::${named('ext')} %S` }),
    section('remote "byssh"', { url: 'ssh://127.0.0.1:1/x' }),
    section('remote "bygit"', { url: 'git://127.0.0.1:1/x' }),
    section('trailer "x"', { command: named('trailer'), cmd: named('trailer') }),
    section('uploadpack', { packObjectsHook: named('packobjects') }),
    section('include', { path: 'included' }),
    section('includeIf "gitdir:/"', { path: 'included' }),
    section('includeIf "hasconfig:remote.*.url:."', { path: 'hasconfig' }),
  ].join('');
  writeFileSync(file, `${readFileSync(file, 'utf8')}${text}`);
  writeFileSync(join(file, '../included'), filter('included'));
  writeFileSync(join(file, '../hasconfig'), filter('hasconfig'));
  writeFileSync(join(file, '../config.worktree'), filter('worktree'));
}
