/** Finds the commands that another command runs, and the scripts that it passes to a shell. */
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { foundCommand, programOf, scriptOf } from '../../../shell/wrappers.ts';

/**
 * Wrappers that run a command unchanged: their options, and the number of their own arguments
 * before the command.
 */
const transparent: Readonly<Record<string, { readonly options: RegExp; readonly own: number }>> = {
  nice: { options: /^-(?:n|\d+|-adjustment=-?\d+)$/, own: 0 },
  ionice: { options: /^-(?:c\d?|n\d?|t)$/, own: 0 },
  stdbuf: { options: /^-[ioe](?:L|0|\d+)?$/, own: 0 },
  timeout: {
    options: /^(?:-k|-s|--foreground|--preserve-status|--(?:kill-after|signal)=\w+)$/,
    own: 1,
  },
  time: { options: /^-[pv]$/, own: 0 },
};
const valueOptions = /^-(?:n|k|s|[cn]|[ioe])$/;

/** Programs that run the command in their arguments, on this or another machine. */
const runners: ReadonlySet<string> = new Set(
  (
    'nice ionice stdbuf timeout time nohup exec command builtin setsid env unbuffer chronic ' +
    'xargs flock chroot taskset sudo su doas runuser pkexec unshare nsenter bwrap firejail ' +
    'proot fakeroot ssh mosh docker podman apptainer singularity kubectl srun sbatch salloc ' +
    'mpirun torchrun accelerate parallel watch strace ltrace gdb valgrind perf nsys ncu tmux ' +
    'screen script numactl systemd-run at batch conda uv poetry pipenv npx find fd git make ' +
    'entr caffeinate trap'
  ).split(' '),
);

/** Returns true for a program that may run a command in its arguments. */
export const isRunner = (program: string): boolean => runners.has(program);

const most = 12;

/**
 * Returns the command that a transparent wrapper runs; `undefined` for other programs, and if an
 * option of the wrapper is not known.
 */
export function unwrap(command: ShellCommand): ShellCommand | undefined {
  const [first, ...rest] = command.words;
  const name = first?.text ?? '';
  const wrapper = Object.hasOwn(transparent, name) ? transparent[name] : undefined;
  if (wrapper === undefined) return undefined;
  const at = afterOptions(rest, wrapper.options, name === 'time');
  const own = at === undefined ? [] : rest.slice(at, at + wrapper.own);
  const isKnown = own.every(({ text, isDynamic }) => !isDynamic && duration.test(text));
  return at === undefined || !isKnown
    ? undefined
    : { ...command, words: withoutFollow(command.words, rest.slice(at + wrapper.own)) };
}

/** Returns the words without the option of `tail` to follow a file, if `timeout N` ends it. */
function withoutFollow(
  all: readonly ShellWord[],
  inner: readonly ShellWord[],
): readonly ShellWord[] {
  const [name, time] = all.map(({ text }) => text);
  const isEnded = name === 'timeout' && /^[1-9]\d{0,2}s?$/.test(time ?? '');
  return isEnded && inner[0]?.text === 'tail'
    ? inner.filter(({ text }) => !/^(?:-[fF]|--follow)$/.test(text))
    : inner;
}

const duration = /^[\d.]+[smhd]?$/;

/** Returns the index of the first word after the options; `undefined` if an option is not known. */
function afterOptions(
  words: readonly ShellWord[],
  options: RegExp,
  hasFlags: boolean,
): number | undefined {
  let at = 0;
  for (let word = words[at]; word?.text.startsWith('-') === true; word = words[at]) {
    if (word.isDynamic || !options.test(word.text)) return undefined;
    at += !hasFlags && valueOptions.test(word.text) ? 2 : 1;
  }
  return at;
}

/**
 * Returns every command that a runner may run, so that dangerous commands are found. The options of
 * the runner are not parsed, so each of its words may be the program.
 */
export function innerCommands(command: ShellCommand): readonly ShellCommand[] {
  const [first, ...rest] = command.words;
  if (!runners.has(programOf(first))) return [];
  const exec = foundCommand(command);
  const suffixes = rest
    .slice(0, most)
    .flatMap((word, index) => (word.text.startsWith('-') ? [] : [rest.slice(index)]));
  return [exec, ...suffixes]
    .filter((words) => words.length > 0)
    .map((words) => ({ ...command, assignments: [], redirections: [], words }));
}

/**
 * Returns the texts that a command gives to a shell: `sh -c TEXT`, a here-document, the output of
 * `echo` piped into the shell, and the single command argument of `ssh` and the like.
 */
export function innerScripts(command: ShellCommand): readonly string[] {
  const script = scriptOf(command);
  const pipeScripts =
    script === undefined
      ? []
      : (command.sources ?? []).filter(isPrinted).map(({ words }) => textOf(words.slice(1)));
  const [first, ...rest] = command.words;
  const quoted = runners.has(programOf(first))
    ? rest.filter(({ text, isQuoted }) => isQuoted && /\s/.test(text)).map(({ text }) => text)
    : [];
  const own = script === undefined || script.text.trim() === '' ? [] : [script.text];
  return [...own, ...pipeScripts, ...quoted];
}

const isPrinted = ({ words }: ShellCommand): boolean =>
  ['echo', 'printf'].includes(programOf(words[0]));

const textOf = (words: readonly ShellWord[]): string => words.map(({ text }) => text).join(' ');
