/** Finds the values that the variable of a loop takes. */
import { posix } from 'node:path';
import type { ShellCommand, ShellWord, WordPart } from '../../../shell/shellCommand.ts';
import { expanded, hasSets } from '../paths/operand.ts';
import type { CommandPlace } from '../paths/place.ts';

/** The place of a loop: `folders` are those in which it may run. */
export interface LoopPlace {
  readonly place: CommandPlace;
  readonly folders: readonly string[];
}

/** Maximum number of values of a loop. */
const maxValues = 200;

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
  const values = listedValues(word) ?? namedValues(word, place, folders);
  return values !== undefined &&
    values.length <= maxValues &&
    values.every((value) => plainValue.test(value) || value === word.text)
    ? values
    : undefined;
}

/**
 * Returns the values of `{1..5}`, `a{b,c}` and `$(seq 1 5)`, which depend on no files; `undefined`
 * for other words.
 */
export function listedValues({
  text,
  spelled,
  isDynamic,
  parts,
}: ShellWord): readonly string[] | undefined {
  if (parts !== undefined) return parts.length === 1 ? parts.flatMap(countedBy)[0] : undefined;
  if (!isDynamic || text !== spelled || /[*?]/.test(text)) return undefined;
  return bracesOf(text);
}

/** Returns the texts of `a{b,c}` and the like, which may be patterns; `undefined` for others. */
function bracesOf(text: string): readonly string[] | undefined {
  const found = /^([\w./*?@:%+=-]*)\{([\w.,/*?-]+)\}([\w./*?@:%+={},-]*)$/.exec(text);
  if (found === null) return undefined;
  const [, before = '', list = '', after = ''] = found;
  const afters = after.includes('{') ? bracesOf(after) : after.includes('}') ? undefined : [after];
  const all = alternatives(list)?.flatMap((item) => afters?.map((end) => before + item + end));
  return all === undefined || all.includes(undefined) || all.length > maxValues
    ? undefined
    : all.filter((each) => each !== undefined);
}

/** Returns the words of `a{b,c}` and the like; the word itself for others. */
export function bracedWords(word: ShellWord): readonly ShellWord[] {
  const { text, spelled, isDynamic, parts } = word;
  if (!isDynamic || parts !== undefined || text !== spelled || !text.includes('{')) return [word];
  return (
    bracesOf(text)?.map((each) => ({
      text: each,
      spelled: each,
      isDynamic: /[*?]/.test(each),
      isQuoted: false,
    })) ?? [word]
  );
}

function alternatives(list: string): readonly string[] | undefined {
  const [, from = '', to = '', by = '1'] =
    /^(\d{1,4})\.\.(\d{1,4})(?:\.\.(\d{1,4}))?$/.exec(list) ?? [];
  if (from !== '') {
    const isPadded = [from, to].some((each) => /^0\d/.test(each));
    const width = isPadded ? Math.max(from.length, to.length) : 0;
    const all = range(Number(from), Number(to));
    const step = Math.max(1, Number(by));
    return all
      .filter((_each, index) => index % step === 0)
      .map((each) => each.padStart(width, '0'));
  }
  return list.includes(',') && !list.includes('..') ? list.split(',') : undefined;
}

const countedBy = (part: WordPart): readonly (readonly string[] | undefined)[] => {
  const layout = part.kind === 'commands' && part.sign === '$(' ? part.layout : [];
  return layout.map((item) =>
    typeof item === 'object' && layout.length === 1 ? counted(item) : undefined,
  );
};

function counted({
  words,
  assignments,
  redirections,
}: ShellCommand): readonly string[] | undefined {
  const [program, ...rest] = words;
  const numbers = rest.map(({ text, isDynamic }) =>
    !isDynamic && /^(?:0|[1-9]\d{0,3})$/.test(text) ? Number(text) : NaN,
  );
  const isSeq = program?.text === 'seq' && assignments.length + redirections.length === 0;
  const [first = NaN, last] = numbers;
  if (!isSeq || numbers.length > 2 || numbers.some(Number.isNaN)) return undefined;
  const [from, to] = last === undefined ? [1, first] : [first, last];
  // `{3..1}` counts down, `seq 3 1` prints nothing.
  return from > to || Number.isNaN(to) ? undefined : range(from, to);
}

function range(from: number, to: number): readonly string[] {
  const step = from <= to ? 1 : -1;
  const count = Math.min(Math.abs(to - from) + 1, maxValues + 1);
  return Array.from({ length: count }, (_none, index) => String(from + step * index));
}

/**
 * Returns the text of a word without a pattern, or the file names that match its pattern, relative
 * to the folder as the shell prints them.
 */
function namedValues(
  word: ShellWord,
  place: CommandPlace,
  folders: readonly string[],
): readonly string[] | undefined {
  const text = /^\$\{?PWD/.test(word.spelled) ? undefined : expanded(word, place);
  if (text === undefined) return undefined;
  if (!word.isDynamic || !/[*?]/.test(text)) return [text];
  const [folder, ...others] = text.startsWith('/') ? ['/'] : folders;
  const names = folder === undefined || others.length > 0 ? [] : matched(text, folder, place);
  if (names === undefined || names.length === 0) return undefined;
  // The shell leaves a pattern without a match unchanged.
  return hasSets(word) ? [...names.filter((name) => name !== text), word.text] : names;
}

/** Returns the file names that match a pattern, relative to the folder as the shell prints them. */
function matched(text: string, folder: string, place: CommandPlace): readonly string[] | undefined {
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
