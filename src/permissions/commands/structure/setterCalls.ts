/** Finds what the calls of shell commands that set variables set: `read`, `mapfile` and `printf -v`. */
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { isOwnWord, isThrowaway } from '../values/ownNames.ts';

export interface ReadCall {
  readonly names: readonly string[];
  /** True if the variable becomes the whole line. */
  readonly isWhole: boolean;
  /** True if it reads up to a NUL. */
  readonly isNull: boolean;
  /** True if the variable becomes an array. */
  readonly isList: boolean;
}

interface ReadOptions {
  /** Index of the first name. */
  readonly at: number;
  readonly isNull: boolean;
  readonly isRaw: boolean;
  readonly isList: boolean;
}

/** Returns the options of `read`; `undefined` if one is not known. */
function readOptions(words: readonly ShellWord[]): ReadOptions | undefined {
  let at = 1;
  let [isNull, isRaw, isList] = [false, false, false];
  for (let word = words[at]; word?.text.startsWith('-') === true; word = words[at]) {
    const isEnd = word.text === '-d' || word.text === '-rd';
    if (
      word.isDynamic ||
      !(/^-(?:r|a|ra)$/.test(word.text) || (isEnd && words[at + 1]?.text === ''))
    )
      return undefined;
    isNull ||= isEnd;
    isRaw ||= word.text.startsWith('-r');
    isList ||= word.text.endsWith('a');
    at += isEnd ? 2 : 1;
  }
  return { at, isNull, isRaw, isList };
}

/** Returns what `read` sets; `undefined` for an unknown call. */
export function readCall({ assignments, words }: ShellCommand): ReadCall | undefined {
  const options = readOptions(words);
  if (options === undefined) return undefined;
  const { at, isNull, isRaw, isList } = options;
  const names = words.slice(at);
  const isKnown =
    (isList ? names.length === 1 && names.every(isOwnWord) : names.length > 0) &&
    names.every((word) => isOwnWord(word) || isThrowaway(word)) &&
    assignments.every(({ text, isDynamic }) => !isDynamic && /^IFS=[,:;|\t =/]?$/.test(text));
  // Without `-r`, `read` drops backslashes, which only a list that ends with NUL may have.
  const isAsWritten = isRaw || !isNull;
  const isWhole =
    isAsWritten && names.length === 1 && assignments.every(({ text }) => text === 'IFS=');
  return isKnown
    ? {
        names: names.filter((word) => !isThrowaway(word)).map(({ text }) => text),
        isWhole: isWhole && !isList,
        isNull,
        isList,
      }
    : undefined;
}

/** Returns what `mapfile` sets; `undefined` for an unknown call. */
export function mapfileCall({
  assignments,
  words: [, ...rest],
}: ShellCommand): { readonly name: string; readonly isWhole: boolean } | undefined {
  const [name, ...options] = rest.toReversed();
  const isKnown = /^(?:-t ?|-[ns] \d+ ?)*$/.test(
    options
      .toReversed()
      .map(({ text }) => text)
      .join(' '),
  );
  const isFixed = options.every(({ isDynamic }) => !isDynamic) && assignments.length === 0;
  if (name === undefined || !isOwnWord(name) || !isKnown || !isFixed) return undefined;
  return { name: name.text, isWhole: options.some(({ text }) => text === '-t') };
}

/** Returns the name of the variable that `printf -v NAME` sets; `undefined` for other calls. */
export const printfTarget = ([first, option, name]: readonly ShellWord[]): ShellWord | undefined =>
  first?.text === 'printf' && option?.text === '-v' ? name : undefined;
