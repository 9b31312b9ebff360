/** What is known of a program that only reads. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import type { Arguments, OptionList } from '../options.ts';

export interface Reader {
  readonly options: OptionList;
  /**
   * - `content`: the operands are files that are read
   * - `names`: the operands are paths of which names, sizes and times are read
   * - `text`: the operands are no paths
   * - `script`: the first operand is a pattern or script, unless an option gives it; the others
   *   are files that are read
   */
  readonly operands: 'content' | 'names' | 'text' | 'script';
  /** True if the program only prints its operands, whatever they are. */
  readonly printsOperands?: true;
  /** Options that give the script. The first operand is then a file, too. */
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
 * Returns a problem for a second operand, or a pattern with possibly several matches: the program
 * writes its second file.
 */
export const single: Reader['problem'] = ({ operands }) =>
  operands.length > 1 || operands.some(({ isDynamic }) => isDynamic)
    ? 'writes its second file'
    : undefined;
export const nothing: Reader['problem'] = ({ operands }) =>
  operands.length > 0 ? 'takes arguments that are not known to be harmless' : undefined;

export const textOf = (words: readonly ShellWord[]): string =>
  words.map(({ text: each }) => each).join(' ');
