/** Describes programs that only read: their options, and the meaning of their operands. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { usualPaths } from '../../pathRules.ts';
import type { Arguments, OptionList } from './options.ts';

export interface Reader {
  readonly options: OptionList;
  /**
   * Meaning of the operands.
   * - `content`: files that are read
   * - `names`: paths of which names, sizes and times are read
   * - `text`: no paths
   * - `script`: first a pattern or script, unless an option gives it; then files that are read
   */
  readonly operands: 'content' | 'names' | 'text' | 'script';
  /** True if the program only prints its operands and reads no files. */
  readonly printsOperands?: true;
  /** Options that give the script. If one of them is used, the first operand is a file, too. */
  readonly scriptOptions?: readonly string[];
  /**
   * Returns why a call does more than read; `undefined` if it only reads. `words` are the arguments
   * as written.
   */
  problem?(call: Arguments, words: readonly ShellWord[]): string | undefined;
}

export const content = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'content',
  ...(problem && { problem }),
});
export const names = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'names',
  ...(problem && { problem }),
});
export const text = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'text',
  ...(problem && { problem }),
});
/**
 * Returns a problem for a second operand, or for a pattern that may match several files: the
 * program writes to the second file.
 */
export const single: Reader['problem'] = ({ operands }) =>
  operands.length > 1 || operands.some(({ isDynamic }) => isDynamic)
    ? 'writes its second file'
    : undefined;
export const nothing: Reader['problem'] = ({ operands }) =>
  operands.length > 0 ? 'takes arguments that are not known to be harmless' : undefined;

export const textOf = (words: readonly ShellWord[]): string =>
  words.map(({ text: each }) => each).join(' ');

/** Returns a problem if an operand may be `@FILE`, a file with further arguments. */
export const atFile = ({ operands }: Arguments): string | undefined =>
  operands.some(({ text: each, isDynamic }) => isDynamic || each.startsWith('@'))
    ? 'reads arguments from a file'
    : undefined;

/** Returns a problem if a file of an archive, which is to be printed, may hold secrets. */
export const memberProblem = (members: readonly ShellWord[]): string | undefined =>
  members.some(({ text: each, isDynamic }) => isDynamic || usualPaths.isPrivate(`/${each}`))
    ? 'prints a file of an archive that may hold secrets'
    : undefined;
