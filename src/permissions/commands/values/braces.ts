/** Finds the words that a shell makes of `a{b,c}`, `{1..5}` and `$(seq 1 5)`. */
import type { ShellCommand, ShellWord, WordPart } from '../../../shell/shellCommand.ts';

/** Maximum number of values of a loop. */
export const maxValues = 200;

/**
 * Returns the values of `{1..5}`, `a{b,c}` and `$(seq 1 5)`, which depend on no files; `undefined`
 * for other words.
 */
export function sequenceValues({
  text,
  spelled,
  isDynamic,
  parts,
}: ShellWord): readonly string[] | undefined {
  if (parts !== undefined) return parts.length === 1 ? parts.flatMap(seqValuesIn)[0] : undefined;
  if (!isDynamic || text !== spelled || /[*?]/.test(text)) return undefined;
  return braceTexts(text);
}

/** Returns the texts of `a{b,c}` and the like, which may be patterns; `undefined` for others. */
function braceTexts(text: string): readonly string[] | undefined {
  const found = /^([\w./*?@:%+=-]*)\{([\w.,/*?-]+)\}([\w./*?@:%+={},-]*)$/.exec(text);
  if (found === null) return undefined;
  const [, before = '', list = '', after = ''] = found;
  const afters = after.includes('{')
    ? braceTexts(after)
    : after.includes('}')
      ? undefined
      : [after];
  const all = alternatives(list)?.flatMap((item) => afters?.map((end) => before + item + end));
  return all === undefined || all.includes(undefined) || all.length > maxValues
    ? undefined
    : all.filter((each) => each !== undefined);
}

/** Returns the words of `a{b,c}` and the like; the word itself for others. */
export function expandBraces(word: ShellWord): readonly ShellWord[] {
  const { text, spelled, isDynamic, parts } = word;
  if (!isDynamic || parts !== undefined || text !== spelled || !text.includes('{')) return [word];
  return (
    braceTexts(text)?.map((each) => ({
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

const seqValuesIn = (part: WordPart): readonly (readonly string[] | undefined)[] => {
  const layout = part.kind === 'commands' && part.sign === '$(' ? part.layout : [];
  return layout.map((item) =>
    typeof item === 'object' && layout.length === 1 ? seqValues(item) : undefined,
  );
};

function seqValues({
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
