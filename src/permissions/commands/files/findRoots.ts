import type { ShellWord } from '../../../shell/shellCommand.ts';

const here: ShellWord = { text: '.', spelled: '.', isDynamic: false, isQuoted: false };

/** Returns the files and folders in which `find` searches. `rest`: its arguments. */
export function findRoots(rest: readonly ShellWord[]): readonly ShellWord[] {
  const words = rest.filter(({ text }) => text !== '-P');
  const end = words.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  return roots.length === 0 ? [here] : roots;
}
