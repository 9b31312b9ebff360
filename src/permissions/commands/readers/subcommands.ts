/**
 * Subcommands that only read, of programs that can also change things; and calls that show a
 * version.
 */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { usualPaths } from '../../pathRules.ts';
import { readerOf } from './allReaders.ts';
import { atFile, type Reader } from './reader.ts';

const listing = (options: string, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'text',
  ...(problem && { problem }),
});
/** Returns the reader of a subcommand that is known to only read if it has no operands. */
const only = (options: string): Reader =>
  listing(options, ({ operands }) => (operands.length > 0 ? 'may do more than list' : undefined));
/**
 * Returns the reader of a subcommand that may have operands only together with one of the options
 * `names`: these make it list.
 */
const listingWith = (options: string, names: readonly string[]): Reader =>
  listing(options, ({ operands, names: given }) =>
    operands.length === 0 || names.some((name) => given.has(name))
      ? undefined
      : 'may do more than list',
  );

const commits =
  '# n: i S: G: E F --oneline --graph --all --branches --tags --remotes --decorate ' +
  '--no-decorate --pretty --format= --since= --until= --after= --before= --author= ' +
  '--committer= --grep= --follow --first-parent --merges --no-merges --reverse ' +
  '--abbrev-commit --date= --max-count= --skip= --topo-order --date-order --no-pager ' +
  '--parents --children --count --left-right --cherry-pick --invert-grep --all-match ' +
  '--ignore-case --relative-date --no-walk';
const changes =
  'p u s w b M C R U? c m z --patch --no-patch --stat --shortstat --numstat --name-only ' +
  '--name-status --summary --dirstat --compact-summary --color --no-color --word-diff ' +
  '--color-words --color-moved --unified --ignore-all-space --ignore-space-change ' +
  '--ignore-blank-lines --ignore-space-at-eol --diff-filter= --no-ext-diff --no-textconv ' +
  '--check --minimal --patience --histogram --diff-algorithm= --exit-code --quiet ' +
  '--find-renames --find-copies --no-renames --full-index --binary --raw --abbrev --no-prefix ' +
  '--function-context --inter-hunk-context= --relative --text --cc --merge-base --root';

/** Matches the settings of git that hold no secrets. */
const harmlessSetting = /^(?:user\.(?:name|email)|core\.\w+|init\.\w+|branch\.[\w.-]+)$/i;

/**
 * Returns a problem for options of `ps`, which `docker top` passes on, that may show the environment
 * of the processes.
 */
const topProblem: Reader['problem'] = ({ operands, values, unknown }) =>
  operands.slice(1).every(({ text }) => /^[acfhjlnruvwxT]+$/.test(text)) &&
  unknown.size === 0 &&
  [...values.values()].flat().every((columns) => /^(?!.*env)[\w%,]+$/i.test(columns))
    ? undefined
    : 'may show the environment of processes';

/** Returns a problem if `git log -L RANGE:FILE` may show the lines of a file with secrets. */
const rangeProblem: Reader['problem'] = ({ values }) =>
  (values.get('-L') ?? []).some((range) =>
    usualPaths.isPrivate(`/${range.slice(range.lastIndexOf(':') + 1)}`),
  )
    ? 'reads a file that may hold secrets'
    : undefined;

/** Matches a format that shows the state of a container, not its environment. */
const stateFormat =
  /^(?:[\w :=,/|-]|\{\{ ?(?:\.(?:State(?:\.\w+)*|Name|Id|Created|RestartCount|Image)) ?\}\})*$/;

/** Returns a problem if `docker inspect` may show the environment of a container. */
const inspectProblem: Reader['problem'] = ({ values, unknown }) => {
  const formats = ['-f', '--format'].flatMap((name) => values.get(name) ?? []);
  const isKnown = unknown.size === 0 && formats.length > 0;
  return isKnown && formats.every((format) => stateFormat.test(format))
    ? undefined
    : 'may show the environment of containers';
};

const table = (options: string): Reader => ({ options, operands: 'content' });

/** Returns a problem if a format of tmux may run a command, as `#(…)` does. */
const tmuxProblem: Reader['problem'] = ({ names, operands }) =>
  names.has('-p') && operands.length === 1 && operands.every(({ text }) => tmuxFormat.test(text))
    ? undefined
    : 'has a format that may run a command or show what a user typed';

/** Matches a format of tmux that shows the state of sessions, windows and panes, not their text. */
const tmuxFormat =
  /^(?:[\w :,./-]|#[SWIPTD]|#\{(?:session|window|pane)_(?:id|index|name|title|pid|tty|width|height|active|attached|created|activity|dead|panes|windows|current_command|current_path)\})*$/;

const git: Readonly<Record<string, Reader>> = {
  status: listing(
    's b u v z uno uall unormal -uno -uall -unormal --short --branch --porcelain ' +
      '--untracked-files --ignored --long --show-stash --no-renames --ahead-behind --null',
  ),
  log: listing(`L: ${commits} ${changes}`, rangeProblem),
  diff: listing(`${changes} --cached --staged --no-index`),
  show: listing(`${commits} ${changes}`),
  whatchanged: listing(`${commits} ${changes}`),
  'diff-tree': listing(`${changes} r t -r -t --no-commit-id`),
  'rev-list': listing(`${commits} --objects --disk-usage`),
  shortlog: listing(
    `s n e c ${commits.replace(' n:', '')} --numbered --summary --email --committer`,
  ),
  reflog: listing(`${commits}`, ({ operands }) =>
    operands[0]?.isDynamic === true ||
    ['expire', 'delete', 'drop', 'write'].includes(operands[0]?.text ?? '')
      ? 'changes the reflog'
      : undefined,
  ),
  blame: listing(
    'w L: l s e p c n f t b M C --line-porcelain --porcelain --since= --date= --show-name ' +
      '--show-number --abbrev',
  ),
  branch: listingWith(
    'a r v vv -vv q --list --all --remotes --verbose --show-current --contains --no-contains ' +
      '--merged --no-merged --sort= --format= --points-at --no-color --color --column --abbrev',
    ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'],
  ),
  tag: listingWith(
    'n l # --list --sort= --contains --no-contains --merged --no-merged --points-at --format= ' +
      '--column',
    ['-l', '-n', '--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at'],
  ),
  'rev-parse': listing(
    'q --short --abbrev-ref --verify --show-toplevel --git-dir --git-common-dir ' +
      '--is-inside-work-tree --is-bare-repository --show-prefix --show-cdup ' +
      '--symbolic-full-name --all --branches --tags --absolute-git-dir --is-shallow-repository ' +
      '--quiet',
  ),
  describe: listing(
    '--tags --always --all --long --abbrev --dirty --match= --contains --exact-match ' +
      '--first-parent --exclude=',
  ),
  'ls-files': listing(
    'c d m o i s t u v z k --cached --deleted --modified --others --ignored --stage ' +
      '--unmerged --exclude-standard --exclude= --error-unmatch --full-name --directory ' +
      '--killed --eol',
  ),
  'ls-tree': listing(
    'r l d t z --name-only --name-status --long --full-tree --full-name --object-only --abbrev',
  ),
  'merge-base': listing('a --all --is-ancestor --octopus --independent --fork-point'),
  'name-rev': listing('--tags --all --name-only --always --no-undefined --refs='),
  'for-each-ref': listing(
    '--format= --sort= --count= --contains --merged --no-merged --points-at= --no-contains',
  ),
  'show-ref': listing('d s q --head --heads --tags --dereference --hash --verify --abbrev'),
  'count-objects': listing('v H --verbose --human-readable'),
  'cat-file': listing('p t s e --batch-check --batch-all-objects --unordered --buffer'),
  // With a second operand, it changes the reference.
  'symbolic-ref': listing('q --short --quiet', ({ operands }) =>
    operands.length === 1 ? undefined : 'changes a reference',
  ),
  grep: listing(
    'n i w v l L c h H E F G P e: p W A: B: C: # --line-number --ignore-case --word-regexp ' +
      '--files-with-matches --count --cached --untracked --heading --break --and --or --not ' +
      '--all-match --max-depth= --name-only --no-color --color --column --show-function ' +
      '--function-context --extended-regexp --fixed-strings --perl-regexp',
    ({ operands, names }) =>
      names.has('--untracked') &&
      operands.some(({ text, isDynamic }) => isDynamic || text.startsWith(':'))
        ? 'may read files outside the folder'
        : undefined,
  ),
  'check-ignore': listing('q v n --verbose --non-matching --no-index --quiet'),
  cherry: listing('v --abbrev'),
  'range-diff': listing('--no-color --creation-factor= --no-dual-color'),
  config: listing('--get', ({ operands, names: given }) =>
    (given.has('--get') || operands.length === 1) &&
    operands.every(({ text }) => harmlessSetting.test(text))
      ? undefined
      : 'may change or show settings',
  ),
  version: only('--build-options'),
};

const second: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  git: {
    'stash list': listing(commits),
    'stash show': listing(changes),
    'worktree list': only('v --porcelain --verbose'),
    'remote show': listing('', () => 'contacts another host'),
    'remote get-url': listing('--all --push'),
    'bisect log': only(''),
    'notes list': listing(''),
    'notes show': listing(''),
    'submodule status': listing('--cached --recursive'),
  },
  helios: { may: listing('--mode= --lines --json') },
  pip: {
    list: only(
      'v --format= --verbose --not-required --local --user --disable-pip-version-check --editable',
    ),
    show: listing('f v --files --verbose'),
    check: only('v'),
  },
  conda: {
    list: listing('n: e f c --name= --export --json --full-name --explicit'),
    'env list': only('--json'),
    // With the other options, it prints variables of the environment.
    info: only('e --envs'),
  },
  docker: {
    ps: only('a q s l n: f: --all --quiet --size --filter= --format= --no-trunc --latest'),
    images: listing('a q f: --all --quiet --filter= --format= --no-trunc --digests'),
    version: only('f: --format='),
    inspect: listing('f: s --format= --type= --size', inspectProblem),
    port: listing(''),
    logs: listing('t n: --tail= --since= --until= --timestamps --details'),
    top: listing('A e f F l o: w', topProblem),
    history: listing('q H --quiet --no-trunc --human --format='),
    stats: listing('a --all --no-stream --no-trunc --format=', ({ names }) =>
      names.has('--no-stream') ? undefined : 'does not end',
    ),
    'system df': only('v'),
    'volume ls': only('q f: --filter='),
    'network ls': only('q f: --filter='),
  },
  scontrol: {
    'show job': listing('d o'),
    'show node': listing('d o'),
    'show nodes': listing('d o'),
    'show partition': listing('o'),
    'show partitions': listing('o'),
    'show jobs': listing('d o'),
    'show config': listing(''),
    'show reservation': listing('o'),
  },
  sacctmgr: {
    show: listing('n p P --noheader --parsable --parsable2'),
    list: listing('n p P --noheader --parsable --parsable2'),
  },
  'nvidia-smi': { nvlink: only('s --status') },
  tmux: {
    ls: only(''),
    'list-sessions': only(''),
    'list-windows': only('a t:'),
    'list-panes': only('a s t:'),
    display: listing('p t:', tmuxProblem),
    'display-message': listing('p t:', tmuxProblem),
  },
  apt: { list: listing('a v --installed --upgradable --all-versions --manual-installed') },
  'apt-cache': {
    policy: listing(''),
    show: listing('a'),
    search: listing('n f --names-only'),
    depends: listing(''),
    rdepends: listing(''),
    madison: listing(''),
    stats: only(''),
  },
  brew: { list: listing('--versions --cask --formula') },
  snap: { list: listing('--all') },
  loginctl: { 'list-sessions': only(''), 'list-users': only('') },
  '7z': { l: { options: '', operands: 'content', problem: atFile } },
  xsv: {
    headers: table('j d:'),
    count: table('n d:'),
    stats: table('s: n d: --everything --mode --cardinality --nulls --median --select='),
    slice: table('s: e: l: i: n d: --start= --end= --len= --index='),
    table: table('w: p: c: d: --width= --pad='),
    frequency: table('s: l: a n d: --select= --limit= --asc'),
    sort: table('s: N R n d: --select= --numeric --reverse'),
    flatten: table('c: s: n d:'),
    select: { options: 'n d:', operands: 'script' },
    search: { options: 'i s: v n d: --select= --ignore-case', operands: 'script' },
  },
  systemctl: {
    'list-units': listing('a t: --all --type= --state= --no-pager'),
    'is-active': listing(''),
    'is-enabled': listing(''),
  },
  module: { list: only('t --terse'), avail: listing('t d l --terse') },
  screen: { '-ls': listing(''), '-list': listing('') },
};
const aliases: Readonly<Record<string, string>> = {
  pip3: 'pip',
  mamba: 'conda',
  podman: 'docker',
  '7za': '7z',
  '7zz': '7z',
};

/**
 * Programs that load nothing from the current folder to show their version. Poetry, pdm, hatch and
 * pytest are excluded, because they load plugins of a project; go, because it downloads the version
 * that a go.mod names.
 */
const versionPrograms: ReadonlySet<string> = new Set(
  (
    'python python3 pip pip3 conda mamba uv node npm npx git gcc g++ cc c++ clang nvcc cmake ' +
    'make ninja java javac ruby perl julia R Rscript docker podman bash sh zsh ffmpeg ' +
    'cuda-gdb mpirun mpicc ssh rsync curl wget tar zip unzip tmux screen srun sbatch squeue ' +
    'sinfo apptainer singularity tsc jq rg fd vim nano deno bun sqlite3 psql ldd ruff black mypy torchrun tensorboard wandb mlflow ' +
    'pandoc pdflatex dot hyperfine sox nvtop htop split csplit vimdiff less man kubectl'
  ).split(' '),
);
/** The programs that show their version for a short option, by the option. */
const versionOptions: Readonly<Record<string, ReadonlySet<string>>> = {
  // A shell reads `-V` as another option, and then runs what is piped into it.
  '-V': new Set(
    (
      'python python3 pip pip3 conda mamba uv perl nvcc ssh rsync curl wget tmux srun sbatch ' +
      'squeue sinfo psql nano mpirun jq rg fd deno dot'
    ).split(' '),
  ),
  '-version': new Set('java javac clang cmake ffmpeg sqlite3'.split(' ')),
  '-v': new Set('node npm npx java ruby perl gcc'.split(' ')),
};

/** Returns true for a call that only shows a version or a help text. */
export const showsVersion = (program: string, rest: readonly ShellWord[]): boolean => {
  const [option] = rest;
  if (rest.length !== 1 || option === undefined || option.isDynamic) return false;
  if (readerOf(program) !== undefined && /^--(?:help|version)$/.test(option.text)) return true;
  if (!versionPrograms.has(program)) return false;
  // npm is allowed only its version: for its help, npm writes a log to a folder that .npmrc sets.
  if (/^np[mx]$/.test(program)) return /^(?:--version|-v)$/.test(option.text);
  if (/^--(?:version|help)$/.test(option.text)) return true;
  return own(versionOptions, option.text)?.has(program) === true;
};

export interface Subcommand {
  readonly reader: Reader;
  /** The words after the subcommand. */
  readonly rest: readonly ShellWord[];
}

/**
 * Returns the subcommand that is called and its reader; `undefined` if there is no subcommand, or
 * if it may do more than read.
 */
export function subcommandOf(program: string, rest: readonly ShellWord[]): Subcommand | undefined {
  const name = own(aliases, program) ?? program;
  const words = name === 'git' ? afterPager(rest) : rest;
  const names = words.slice(0, 2).map(({ text, isDynamic }) => (isDynamic ? '$' : text));
  const table = own(second, name) ?? {};
  const pair = own(table, names.join(' '));
  if (pair !== undefined) return { reader: pair, rest: words.slice(2) };
  const [first = ''] = names;
  const single = own(table, first) ?? (name === 'git' ? gitReader(words, first) : undefined);
  return single && { reader: single, rest: words.slice(1) };
}

/**
 * Returns the reader of a subcommand of git. Of `git remote`, only the call without a subcommand
 * has one, because the subcommands change the repository.
 */
const gitReader = (words: readonly ShellWord[], name: string): Reader | undefined =>
  name === 'remote' && words.length <= 2 ? only('v --verbose') : own(git, name);

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const afterPager = (words: readonly ShellWord[]): readonly ShellWord[] =>
  ['--no-pager', '-P'].includes(words[0]?.text ?? '') ? words.slice(1) : words;
