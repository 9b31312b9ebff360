/**
 * Reads lines whose pairs are all plain, such as `step 12/1000 | train loss: 0.5, lr=3e-4`, in one
 * pass over their characters. `lineFormats.ts` defines what a pair is, and reads all other lines.
 */
import {
  afterBlanks,
  afterRun,
  codeAt,
  hasTextAt,
  isBlankAt,
  isControlAt,
  isDigitAt,
  isLetterAt,
  isRunAt,
  loadLine,
} from './asciiLine.ts';
import type { Meaning, Reading } from './labels.ts';
import { isQualifier, maxQualifierChars, type Pair } from './lineFormats.ts';
import { noNumber, number, readNumberAt, unclear } from './plainNumber.ts';

/** The possible roles of a word, which do not depend on the words around it. */
export interface Word {
  readonly text: string;
  /** Meaning of the word as a label; undefined if the word cannot be a name. */
  readonly meaning: Meaning | undefined;
  /**
   * Last characters of the words that can precede this word in a longer name: `l` for `loss` in
   * `val loss`.
   */
  readonly after: readonly number[];
}

const noWord: Word = { text: '', meaning: undefined, after: [] };
const recentWords = 256;

export interface PlainPairsOptions {
  readonly wordOf: (text: string) => Word;
  readonly reading: Reading;
}

/** Called with a pair that is valid during the call. `at`: position of its number. */
export type OnPair = (pair: Pair & { readonly at: number }, meaning: Meaning) => void;

const equals = 0x3d;
const colon = 0x3a;
const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const greater = 0x3e;
const paren = 0x28;
const bracket = 0x5b;
const dollar = 0x24;
const backslash = 0x5c;
const isQuote = (code: number): boolean => code === 0x22 || code === 0x27;
const [letterA, letterF, letterI, letterN] = [0x61, 0x66, 0x69, 0x6e];

/**
 * The pair that was read last. One object is reused for all pairs, because most lines have several
 * pairs.
 */
class PlainPair implements Pair {
  label = '';
  at = 0;
  value = NaN;
  total = NaN;
  sign: Pair['sign'] = 'clear';
  isMeasured = false;
}

export class PlainPairs {
  readonly #wordOf: PlainPairsOptions['wordOf'];
  readonly #reading: Reading;
  readonly #pair = new PlainPair();
  readonly #recent: Word[] = Array.from({ length: recentWords }, () => noWord);

  constructor({ wordOf, reading }: PlainPairsOptions) {
    this.#wordOf = wordOf;
    this.#reading = reading;
  }

  /**
   * Calls `onPair` for each pair of a line, in order. Returns false if the line may contain a pair
   * that is not plain; `scanLine` then has to read the line.
   */
  read(line: string, onPair: OnPair): boolean {
    if (!loadLine(line)) return false;
    const pair = this.#pair;
    let pairEnd = 0;
    for (let at = 0; ;) {
      if (!isRunAt(at)) {
        if (isControlAt(at)) return at === line.length;
        at++;
        continue;
      }
      const start = at;
      at = afterRun(start);
      if (isArrow(at - 1)) return false;
      const valueAt = afterSign(at, pair);
      const end = valueAt > 0 ? readNumberAt(valueAt, line) : valueAt;
      if (end === noNumber) continue;
      const { text, meaning, after } = this.#wordAt(start, at, line);
      if (after.length > 0 && mayBePart(start, after)) return false;
      if (meaning === undefined) continue;
      if (end === unclear) return false;
      const prefix = qualifiersBefore(start, pairEnd, line);
      pair.label = prefix + text;
      pair.at = valueAt;
      pair.value = number.value;
      pair.total = number.total;
      pair.isMeasured = number.isMeasured;
      onPair(pair, prefix === '' ? meaning : this.#reading(pair.label));
      pairEnd = at = end;
    }
  }

  /** Returns the word between two positions. Creates no string if the word occurred recently. */
  #wordAt(start: number, end: number, line: string): Word {
    const place = (codeAt(start) + 5 * codeAt(end - 1) + 31 * (end - start)) % recentWords;
    const recent = this.#recent[place] ?? noWord;
    if (recent.text.length === end - start && hasTextAt(recent.text, start)) return recent;
    return (this.#recent[place] = this.#wordOf(line.slice(start, end)));
  }
}

/**
 * Reads the sign between a name that ends at `end` and its number. Returns where the number begins,
 * `noNumber` if there is none, or `unclear` if it may be one that is not plain.
 */
function afterSign(end: number, pair: PlainPair): number {
  const nameEnd = isQuote(codeAt(end)) ? end + 1 : end;
  const signAt = afterBlanks(nameEnd);
  const code = codeAt(signAt);
  if (code !== equals && code !== colon) {
    if (signAt === nameEnd) return code === bracket || code === backslash ? unclear : noNumber;
    pair.sign = 'spaced';
    return plainOrUnclear(signAt);
  }
  const next = codeAt(signAt + 1);
  if (next === (code === equals ? greater : equals)) return unclear;
  const valueAt = afterBlanks(signAt + 1);
  const isTight = code === colon && valueAt === nameEnd + 1;
  pair.sign = isTight ? 'tight' : 'clear';
  return plainOrUnclear(valueAt);
}

const isArrow = (at: number): boolean => codeAt(at) === minus && codeAt(at + 1) === greater;

function plainOrUnclear(at: number): number {
  if (isDigitAt(at)) return at;
  if (isLetterAt(at)) return mayBeginNumber(at) ? unclear : noNumber;
  const code = codeAt(at);
  if (code === minus || code === plus || code === point) {
    if (isLetterAt(at + 1)) return mayBeginNumber(at + 1) ? unclear : noNumber;
    return isArrow(at) ? unclear : at;
  }
  const isWrapped = isQuote(code) || code === backslash || code === dollar || code === bracket;
  return isWrapped ? unclear : noNumber;
}

/** Returns whether the letters may begin `nan`, `inf` or a call such as `tensor(0.5)`. */
function mayBeginNumber(at: number): boolean {
  const [first, second] = [codeAt(at) | 0x20, codeAt(at + 1) | 0x20];
  if (first === letterN && second === letterA) return true;
  if (first === letterI && second === letterN && (codeAt(at + 2) | 0x20) === letterF) return true;
  return codeAt(afterRun(at)) === paren;
}

/**
 * Returns whether the word at `start` follows one blank, before which is one of the characters in
 * `last`.
 */
const mayBePart = (start: number, last: readonly number[]): boolean =>
  start > 1 && isBlankAt(start - 1) && last.includes(lowerAt(start - 2));

/** Returns the character code at `at`; for a letter, the code of the lower-case letter. */
const lowerAt = (at: number): number => (isLetterAt(at) ? codeAt(at) | 0x20 : codeAt(at));

/** Returns the text of up to two qualifiers before a name, such as `Test Average `. */
function qualifiersBefore(nameStart: number, floor: number, line: string): string {
  const quoteAt = isQuote(codeAt(nameStart - 1)) ? nameStart - 1 : nameStart;
  const end = codeAt(quoteAt - 1) === backslash && quoteAt < nameStart ? quoteAt - 1 : quoteAt;
  const last = qualifierBefore(end, floor, line);
  if (last === end) return '';
  return line.slice(qualifierBefore(last, floor, line), end);
}

/** Returns where the qualifier before `start` begins; `start` if there is none after `floor`. */
function qualifierBefore(start: number, floor: number, line: string): number {
  let end = start;
  while (end > floor && isBlankAt(end - 1)) end--;
  if (end === start || end === floor) return start;
  const lowest = Math.max(floor, end - maxQualifierChars - 1);
  let from = end;
  while (from > lowest && isRunAt(from - 1)) from--;
  return from < end && isQualifier(line.slice(from, end)) ? from : start;
}
