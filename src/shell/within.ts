/** Programs that run what is named to them: where the command begins that they run. */
import type { ShellCommand, ShellWord } from './shellText.ts';

/**
 * - `starts`: changes nothing of what the program does · `limits`: does · `escapes`: makes another
 *   environment
 */
interface Wrapper {
  readonly kind: 'starts' | 'limits' | 'escapes';
  /** How many words of its own come before the command. */
  readonly own: number;
}

const wrappersOf = (kind: Wrapper['kind'], own: number, names: string): [string, Wrapper][] =>
  names.split(' ').map((name) => [name, { kind, own }]);

const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ...wrappersOf('starts', 0, 'nohup exec command setsid stdbuf ionice nice env time unbuffer'),
  ...wrappersOf('limits', 0, 'builtin chronic xargs'),
  ...wrappersOf('limits', 1, 'timeout flock chroot taskset'),
  ...wrappersOf('escapes', 0, 'sudo su doas runuser pkexec unshare nsenter bwrap'),
]);

/** A program that runs the command which its words name, or nothing of the kind. */
export const wrapperOf = (program: string): Wrapper | undefined => wrappers.get(program);

const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'ash',
  'busybox',
  'eval',
]);

/**
 * What `sh -c TEXT`, `eval TEXT`, or a shell with a script as its input runs; `undefined` where it
 * is no shell.
 */
export function scriptOf({
  words,
  input,
}: ShellCommand): Pick<ShellWord, 'text' | 'isDynamic'> | undefined {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (!shells.has(program)) return undefined;
  const at = rest.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const inner = program === 'eval' ? rest : at < 0 ? [] : rest.slice(at + 1, at + 2);
  return {
    text: [...inner.map(({ text }) => text), input].join(' '),
    isDynamic: inner.some(({ isDynamic }) => isDynamic),
  };
}

/** What `find … -exec` runs. */
export function foundCommand({ words }: ShellCommand): readonly ShellWord[] {
  const at = words.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  return at < 0 ? [] : words.slice(at + 1);
}

/** The name of a program that is called by its path or its name. */
export const programOf = (word: ShellWord | undefined): string =>
  word?.text.slice(word.text.lastIndexOf('/') + 1) ?? '';
