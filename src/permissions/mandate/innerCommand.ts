/** Finds the command that a program starts, such as `python` in `torchrun train.py`. */
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { programOf } from '../../shell/wrappers.ts';
import { xargsCommand } from '../commands/calls/eachFile.ts';
import type { Spot } from '../commands/paths/place.ts';
import { unwrap } from '../commands/structure/runners.ts';
import { ruleOf } from './programs/table.ts';
import { has, isOption, operandsOf, valueOf, type Environment } from './step.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Programs that take the command to run after their own options. */
const launchers = words(
  'torchrun accelerate deepspeed horovodrun mpirun mpiexec srun nsys ncu valgrind strace ltrace gdb ' +
    'perf taskset numactl flock chrt xvfb-run watch unbuffer parallel',
);
/** Subcommands of `nsys` that start no command. */
const reports = words('analyze export stats status');
/** Programs that take the command to run after the subcommand `run`. */
const environments = words('uv poetry pipenv conda mamba micromamba');
export const dot: ShellWord = { text: '.', spelled: '.', isDynamic: false, isQuoted: false };

interface Inner {
  readonly command: ShellCommand;
  readonly assignments: readonly ShellWord[];
  /** Arguments of the program that starts the command. */
  readonly own: readonly ShellWord[];
  readonly environment?: Environment;
}

/**
 * Returns the command that a program starts; `undefined` if the program starts no other. `outside`
 * is the reason why the mandate cannot cover the command.
 */
export function innerOf(
  name: string,
  command: ShellCommand,
  spot: Spot,
): Inner | { readonly outside: string } | undefined {
  const rest = command.words.slice(1);
  const bare = { ...command, assignments: [], redirections: [] };
  const transparent = unwrap(command);
  if (transparent !== undefined) return { command: transparent, assignments: [], own: [] };
  if (/^(?:exec|command|builtin)$/.test(name) && rest.length > 0 && !isOption(rest[0] ?? dot))
    return { command: { ...bare, words: rest }, assignments: [], own: [] };
  if (name === 'env') return ofEnvironment(bare, rest);
  if (name === 'xargs') return ofXargs(bare, rest, xargsCommand(command, spot));
  const subcommand = operandsOf(rest)[0];
  if (subcommand?.text === 'run' && environments.has(name))
    return {
      ...ofLauncher(bare, rest.slice(rest.indexOf(subcommand) + 1), name),
      ...environmentOf(name, rest),
    };
  return isLaunch(name, subcommand) ? ofLauncher(bare, rest, name) : undefined;
}

const isLaunch = (name: string, subcommand: ShellWord | undefined): boolean =>
  launchers.has(name) && !(name === 'nsys' && reports.has(subcommand?.text ?? ''));

const environmentOf = (name: string, rest: readonly ShellWord[]): Pick<Inner, 'environment'> => {
  const prefix = valueOf(rest, /^(?:-p|--prefix)$/);
  const isOwn =
    prefix === undefined
      ? /^(?:uv|poetry|pipenv)$/.test(name)
      : !/^(?:[/~]|\.\.)/.test(prefix.text);
  return { environment: isOwn ? 'own' : 'other' };
};

function ofEnvironment(
  bare: ShellCommand,
  rest: readonly ShellWord[],
): Inner | { outside: string } {
  const at = rest.findIndex(({ spelled }) => !/^-|^\w+=/.test(spelled));
  return at < 0 || has(rest.slice(0, at), /^-[uS]|^--(?:unset|split-string)$/)
    ? {
        outside:
          'shows or changes the environment: commands get no secrets, so name one variable, such as echo $NAME',
      }
    : {
        command: { ...bare, words: rest.slice(at) },
        assignments: rest.slice(0, at).filter(({ spelled }) => spelled.includes('=')),
        own: [],
      };
}

/** Programs that treat all files in their arguments alike, however `xargs` divides them. */
const alike = words('rm rmdir unlink touch mkdir');

/** `known`: the command with the names that `xargs` gives, if these are known. */
function ofXargs(
  bare: ShellCommand,
  rest: readonly ShellWord[],
  known: ShellCommand | undefined,
): Inner | { outside: string } {
  const at = rest.findIndex(
    (word, index) => !isOption(word) && !/^-[nPILsd]$/.test(rest[index - 1]?.text ?? ''),
  );
  const [, marker] = /(?:^| )-I ?(\S+)/.exec(spelledOf(rest.slice(0, Math.max(at, 0)))) ?? [];
  const [program, ...others] = at < 0 ? [] : rest.slice(at);
  const given = marker === undefined ? [...others, input] : others.map(withInput(marker));
  const all = program === undefined ? [] : [program, ...given];
  const name = programOf(program);
  if (known !== undefined && alike.has(name))
    return { command: { ...bare, words: known.words }, assignments: [], own: [] };
  const rule = ruleOf(name);
  return rule === undefined || rule.commandClass === 'files' || name === 'kill'
    ? { outside: 'passes on paths that only the shell knows' }
    : { command: { ...bare, words: all }, assignments: [], own: [] };
}

const spelledOf = (words: readonly ShellWord[]): string =>
  words.map(({ spelled }) => spelled).join(' ');

/** A word that `xargs` reads. */
const input: ShellWord = {
  text: '',
  spelled: '$(cat)',
  isDynamic: true,
  isQuoted: true,
  parts: [{ kind: 'unknown' }],
};

/** Returns the function that puts what `xargs` reads in place of its marker at the start of a word. */
const withInput =
  (marker: string) =>
  (word: ShellWord): ShellWord =>
    word.spelled.startsWith(marker) ? input : word;

/**
 * Finds the command that a launcher starts. The options of the launcher are not parsed: the command
 * begins at the first word that is a script, a path or a known program.
 */
function ofLauncher(
  bare: ShellCommand,
  rest: readonly ShellWord[],
  name: string,
): Inner | { outside: string } {
  // The first operand of `flock` is a lock file, not the program.
  const first = name === 'flock' ? rest.findIndex((word) => !isOption(word)) + 1 : 0;
  const isOwn = (word: ShellWord, at: number): boolean =>
    at < first ||
    isOption(word) ||
    isOption(rest[at - 1] ?? dot) ||
    /^(?:launch|profile|stat|record|run|\d[\d,-]*)$/.test(word.text);
  const isStart = (word: ShellWord, at: number): boolean =>
    at >= first &&
    !isOption(word) &&
    (/\.py$|^\.{0,2}\//.test(word.text) ||
      ruleOf(word.text) !== undefined ||
      /^(?:ba)?sh$/.test(word.text)) &&
    !/^-[a-z]$|^--(?:config|config_file|output|log[-_]dir|deepspeed)/.test(
      rest[at - 1]?.text ?? '',
    );
  const from = rest.findIndex(
    (word, at) => isStart(word, at) || /^(?:-m|--module)$/.test(word.text),
  );
  if (from < 0 || !rest.slice(0, from).every(isOwn))
    return { outside: `runs ${name} without a script of the folders` };
  const words = rest.slice(from);
  const isModule = /^(?:-m|--module)$/.test(words[0]?.text ?? '');
  const needsPython = isModule || /\.py$/.test(words[0]?.text ?? '');
  const python = { ...dot, text: 'python', spelled: 'python' };
  return {
    command: { ...bare, words: needsPython ? [python, ...words] : words },
    assignments: [],
    own: rest.slice(0, from),
  };
}
