/** Finds the values that the variable of a loop takes. */
import { posix } from 'node:path';
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { expandPath, hasSets } from '../paths/operand.ts';
import type { CommandPlace } from '../paths/place.ts';
import { sequenceValues, maxValues } from '../values/braces.ts';

/** The place of a loop: `folders` are those in which it may run. */
export interface LoopPlace {
  readonly place: CommandPlace;
  readonly folders: readonly string[];
}

/** Matches a text without any character that is special to a shell or to the classifier. */
const plainValue = /^[^\u0000-\u001f\u007f*?[\]{}$`\\'"~]*$/;

/**
 * Returns the values of a word in the head of a loop; `undefined` if they are not known, too many,
 * or could be read as a pattern.
 */
export function loopValues(
  word: ShellWord,
  { place, folders }: LoopPlace,
): readonly string[] | undefined {
  const values = sequenceValues(word) ?? fileValues(word, place, folders);
  return values !== undefined &&
    values.length <= maxValues &&
    values.every((value) => plainValue.test(value) || value === word.text)
    ? values
    : undefined;
}

/**
 * Returns the text of a word without a pattern, or the file names that match its pattern, relative
 * to the folder as the shell prints them.
 */
function fileValues(
  word: ShellWord,
  place: CommandPlace,
  folders: readonly string[],
): readonly string[] | undefined {
  const text = /^\$\{?PWD/.test(word.spelled) ? undefined : expandPath(word, place);
  if (text === undefined) return undefined;
  if (!word.isDynamic || !/[*?]/.test(text)) return [text];
  const found = (text.startsWith('/') ? ['/'] : folders).map((each) =>
    matchingNames(text, each, place),
  );
  const names = [...new Set(found.flatMap((each) => each ?? []))];
  if (found.includes(undefined) || names.length === 0) return undefined;
  // The shell leaves a pattern without a match unchanged.
  return hasSets(word) ? [...names.filter((name) => name !== text), word.text] : names;
}

/** Returns the file names that match a pattern, relative to the folder as the shell prints them. */
function matchingNames(
  text: string,
  folder: string,
  place: CommandPlace,
): readonly string[] | undefined {
  const [before = ''] = /^(?:\/|(?:\.\/)*)/.exec(text) ?? [];
  const after = text.endsWith('/') ? '/' : '';
  const bare = text.slice(before.length).replace(/\/$/, '');
  if (posix.normalize(bare) !== bare || /(?:^|\/)\.\.?(?:\/|$)/.test(bare)) return undefined;
  const found = place.matches(posix.resolve(folder, bare));
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  if (found?.every((path) => path.startsWith(start)) !== true) return undefined;
  // The shell leaves a pattern without a match unchanged.
  return found.length === 0
    ? [text]
    : found.map((path) => before + path.slice(start.length) + after);
}
