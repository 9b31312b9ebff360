/** Recognizes programs that run another command (wrappers), and finds where that command begins. */
import type { ShellCommand, ShellWord } from './shellCommand.ts';

/**
 * A program that runs another command:
 * - `starts`: runs the command unchanged
 * - `limits`: changes or restricts what the command does
 * - `escapes`: runs the command in another environment
 */
interface Wrapper {
  readonly kind: 'starts' | 'limits' | 'escapes';
  /** Number of the wrapper's own arguments before the command, not counting options. */
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

/** Returns the wrapper named `program`; `undefined` if that program is not a wrapper. */
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
 * Returns the script of `sh -c TEXT`, of `eval TEXT`, or of a shell with a script as its input;
 * `undefined` for other programs.
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

/** Returns the command that `find … -exec` runs. */
export function foundCommand({ words }: Pick<ShellCommand, 'words'>): readonly ShellWord[] {
  const at = words.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text));
  return at < 0 ? [] : words.slice(at + 1);
}

/** Returns the name of a program that is called by name or by path. */
export const programOf = (word: ShellWord | undefined): string =>
  word?.text.slice(word.text.lastIndexOf('/') + 1) ?? '';
