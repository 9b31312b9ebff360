/** Programs whose first arguments determine what they do, and interpreters that run scripts. */
import type { ShellWord } from '../../shell/shellCommand.ts';
import type { Scope } from './grant.ts';

export interface FixedWords {
  /** Number of words after the program that belong to the consent. */
  readonly count: number;
  readonly widest: Scope;
  /**
   * True if the program writes the files that its operands name; they must be in the agent's
   * folders.
   */
  readonly writes?: true;
}

const split = (text: string): readonly string[] => text.split(' ');

/**
 * Programs that always do the same with the code of the folder, so a consent can name the program
 * alone.
 */
const whole: ReadonlySet<string> = new Set(
  split('pytest ruff black mypy isort flake8 pylint tsc eslint prettier ninja'),
);
const writers: ReadonlySet<string> = new Set(split('mkdir touch tee cp mv'));

/**
 * Program → subcommands to which the user can consent. `run +`: the consent is for one word after
 * `run`, whatever it is; `pip +install`: for exactly these two words; `+`: for the first word,
 * whatever it is.
 */
const subcommands: Readonly<Record<string, readonly string[]>> = {
  pip: split('install download uninstall wheel'),
  uv: ['sync', 'add', 'lock', 'venv', 'pip +install'],
  conda: split('install create update'),
  npm: ['install', 'ci', 'i', 'test', 'run +'],
  pnpm: ['install', 'add', 'test', 'run +'],
  yarn: ['install', 'add', 'test', 'run +'],
  npx: ['+'],
  make: ['+'],
  git: split('add commit fetch pull push clone'),
  cargo: split('build test run check fmt clippy bench'),
  go: split('build test vet run'),
  docker: split('build pull'),
  hf: ['download'],
  'huggingface-cli': ['download'],
  kaggle: ['datasets +download'],
  dvc: split('pull repro add'),
};
const aliases: Readonly<Record<string, string>> = { pip3: 'pip', mamba: 'conda', podman: 'docker' };

/**
 * Returns how many words after the program a consent must fix so that it covers one kind of action,
 * such as `pip install …`; `undefined` if no words limit what the command does.
 */
export function fixedWords(program: string, rest: readonly ShellWord[]): FixedWords | undefined {
  if (writers.has(program)) return { count: 0, widest: 'workspace', writes: true };
  if (rest.some(leavesFolder)) return undefined;
  if (whole.has(program)) return { count: 0, widest: 'workspace' };
  const name = own(aliases, program) ?? program;
  const [first = '', second = ''] = rest.slice(0, 2).map(plainText);
  const known = own(subcommands, name)?.find((each) => {
    const [head, tail] = each.split(/ ?\+/);
    if (tail === undefined) return head === first;
    const [at, next] = head === '' ? ['', first] : [first, second];
    return at === head && (tail === '' ? isName(next) : tail === next);
  });
  if (known === undefined || (name === 'git' && !isPlainGit(rest))) return undefined;
  const count = known.includes(' +') ? 2 : 1;
  return { count, widest: isPackageInstall(name, rest) ? 'always' : 'workspace' };
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const plainText = ({ text, isDynamic }: ShellWord): string => (isDynamic ? '' : text);
const isName = (text: string): boolean => /^[\w@][\w@:./-]*$/.test(text);

/** Returns true for a word that is known only to the shell, or that may name another folder. */
const leavesFolder = ({ text, isDynamic }: ShellWord): boolean =>
  isDynamic || /^(?:-\w|.*=)?[/~]|(?:^|[=/])\.\.(?:\/|$)/.test(text);

const networkOption =
  /^(?:-[qvb]|--(?:all|branch|ff-only|no-rebase|no-tags|progress|quiet|rebase|single-branch|tags|verbose)|--depth(?:=\d+)?)$/;

/**
 * Returns false for a call of git that may overwrite the work of other people, or that names a
 * program to run.
 */
const isPlainGit = ([first, ...rest]: readonly ShellWord[]): boolean =>
  first?.text === 'add' ||
  first?.text === 'commit' ||
  rest.every(({ text }) =>
    text.startsWith('-')
      ? networkOption.test(text) || (first?.text === 'push' && /^(?:-u|--set-upstream)$/.test(text))
      : !/^[+:]|::/.test(text),
  );

const harmlessOption =
  /^(?:-[Uqy]|--(?:upgrade|quiet|yes|user|pre|no-cache-dir|no-deps|no-input|force-reinstall))$/;
const packageName = /^[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:[=<>!~]=?[\w.*,=<>!~]+)?$/;

/**
 * Returns true if the program only installs packages by name, so that no code of the folder runs.
 */
const isPackageInstall = (name: string, [first, ...rest]: readonly ShellWord[]): boolean =>
  (name === 'pip' || name === 'conda') &&
  first?.text === 'install' &&
  rest.every(
    ({ text, isDynamic }) => !isDynamic && (harmlessOption.test(text) || packageName.test(text)),
  );

const scripts: readonly (readonly [program: RegExp, script: RegExp])[] = [
  [/^(?:python[\d.]*|torchrun|deepspeed|accelerate)$/, /\.py$/],
  [/^(?:node|bun|deno)$/, /\.[cm]?[jt]s$/],
  [/^Rscript$/, /\.[rR]$/],
  [/^julia$/, /\.jl$/],
];

/** Returns true for a program that runs the script or module that it is given. */
export const isCodeRunner = (program: string): boolean =>
  scripts.some(([programs]) => programs.test(program));

const launcherWord = /^(?:launch|[\d.:]+|--?[\w-]+(?:=[\d.:]*)?)$/;

/**
 * Returns the script that the program runs; `undefined` if this is not certain. Before the script,
 * Python may have options without a value, launchers also options with a number.
 */
export function scriptName(program: string, rest: readonly ShellWord[]): ShellWord | undefined {
  const pattern = scripts.find(([programs]) => programs.test(program))?.[1];
  const at = rest.findIndex(({ text, isDynamic }) => !isDynamic && pattern?.test(text) === true);
  const before = rest.slice(0, Math.max(0, at));
  const isLauncher = /^(?:torchrun|deepspeed|accelerate)$/.test(program);
  const launcherOptions = isLauncher
    ? launcherWord
    : program.startsWith('python')
      ? /^-[uBOqsE]+$/
      : /^$/;
  const isSure = before.every(
    ({ text, isDynamic }) =>
      !isDynamic && launcherOptions.test(text) && !/^(?:-m|--module|--no.python)/.test(text),
  );
  return at < 0 || !isSure ? undefined : rest[at];
}

/** Returns the fixed words after `-m MODULE`; `undefined` for an unknown module. */
export function knownModules(module: string, rest: readonly ShellWord[]): FixedWords | undefined {
  return ['unittest', 'venv'].includes(module)
    ? { count: 0, widest: 'workspace' }
    : ['pip', 'pytest', 'ruff', 'black', 'mypy'].includes(module)
      ? fixedWords(module, rest)
      : undefined;
}
