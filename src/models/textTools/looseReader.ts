/**
 * The grammar behind `readJson`: JSON with the deviations that models make. Searches the possible
 * readings of a text.
 */
import { afterItem, afterMember, looseString, quoteAt, type Repairs } from './looseString.ts';

export interface LooseText {
  readonly text: string;
  readonly from: number;
  readonly isWhole: boolean;
  /**
   * Names of the expected members. If present, strings may contain unescaped quotes, but a quote
   * before a member with one of these names always ends the string, and the value must extend to
   * the end of the text. If absent, a string ends at its first quote.
   */
  readonly names?: ReadonlySet<string>;
}

export interface LooseReading {
  readonly value: unknown;
  readonly repairs: readonly string[];
  readonly end: number;
}

export interface LooseResult {
  readonly readings: readonly LooseReading[];
  /**
   * The furthest position that any reading reached before it failed, and what was expected there.
   */
  readonly problem: { readonly at: number; readonly wanted: string };
  /** Whether the search stopped at a limit, so that there may be more readings. */
  readonly isOverBudget: boolean;
}

/** Returns at most `count` readings that differ in their value. */
export function readLoosely(loose: LooseText, count: number): LooseResult {
  if (nestingOf(loose.text) > maxNesting)
    return {
      readings: [],
      problem: { at: loose.from, wanted: 'less nesting' },
      isOverBudget: true,
    };
  const reader = new LooseReader(loose);
  const readings = new Map<string, LooseReading>();
  for (const { value, at, repairs } of reader.all()) {
    readings.set(JSON.stringify(value), { value, end: at, repairs: [...new Set(repairs)] });
    if (readings.size >= count) break;
  }
  return {
    readings: [...readings.values()],
    problem: reader.problem,
    isOverBudget: reader.isOverBudget,
  };
}

/** Returns the maximum depth of brackets, including those inside strings. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '{' || bracket === '[' ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

interface Read<T> {
  readonly value: T;
  readonly at: number;
  readonly repairs: Repairs;
}

type Readings<T> = Generator<Read<T>, void>;
type Member = readonly [string, unknown];

/** An object or list that is being read. */
interface Open<Item> {
  readonly items: readonly Item[];
  readonly repairs: Repairs;
  readonly close: '}' | ']';
  /** Whether the braces are doubled, as in templates. */
  readonly isDoubled: boolean;
}

// Malformed text can be read in many ways. These limits end the search for one that works; they are
// far above what a tool call written by a model needs.

/** Maximum number of items of a list or members of an object. */
const maxItems = 500;
/** Maximum number of attempts to read a value. */
const maxSteps = 4_000;
/** Maximum total length of the strings tried in all readings, in characters. */
const maxTriedChars = 2_000_000;
/** Maximum depth of nested brackets. */
const maxNesting = 300;

const spacePattern = /(?:\s|\/\/[^\n]*(?=\n|$)|\/\*[\s\S]*?\*\/|#[^\n]*(?=\n|$))*/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y;
const wordPattern = /[A-Za-z_$][\w$]*/y;
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);

class LooseReader {
  readonly #loose: LooseText;
  readonly #text: string;
  #steps = 0;
  #triedChars = 0;
  #problem = { at: -1, wanted: 'a value' };
  isOverBudget = false;

  constructor(loose: LooseText) {
    this.#loose = loose;
    this.#text = loose.text;
  }

  get problem(): { readonly at: number; readonly wanted: string } {
    return { ...this.#problem, at: Math.max(this.#problem.at, 0) };
  }

  *all(): Readings<unknown> {
    const { from, names } = this.#loose;
    for (const read of this.#value(from, [], afterMember)) {
      const rest = this.#space(read.at, read.repairs);
      // The caller handles surplus closing brackets.
      if (names === undefined || /^[\s}\]]*$/.test(this.#text.slice(rest.at))) yield read;
      else this.#fail(rest.at, 'the end');
    }
  }

  *#value(from: number, before: Repairs, after: RegExp): Readings<unknown> {
    this.#steps += 1;
    if (this.#steps > maxSteps) {
      this.isOverBudget = true;
      return;
    }
    const { at, repairs } = this.#space(from, before);
    const next = this.#text[at] ?? '';
    if (next === '{') yield* this.#object(at, repairs);
    else if (next === '[') yield* this.#items(at + 1, opened(']', repairs));
    else if (quoteAt(this.#text, at) !== undefined) yield* this.#string(at, repairs, after);
    else yield* this.#literal(at, repairs);
  }

  *#literal(at: number, repairs: Repairs): Readings<unknown> {
    const number = match(numberPattern, this.#text, at);
    const word = match(wordPattern, this.#text, at);
    if (number !== '') yield { value: Number(number), at: at + number.length, repairs };
    else if (words.has(word)) {
      const isPython = /^[A-Z]/.test(word);
      yield {
        value: words.get(word),
        at: at + word.length,
        repairs: isPython ? [...repairs, 'Python words'] : repairs,
      };
    } else this.#fail(at, 'a value');
  }

  /**
   * Reads a string. With `after`, the string may contain quotes; `after` matches what must follow
   * the closing quote.
   */
  *#string(at: number, before: Repairs, after?: RegExp): Readings<string> {
    const { names } = this.#loose;
    const inner = names === undefined || after === undefined ? undefined : { after, names };
    let hasEnd = false;
    for (const found of looseString(this.#text, at, inner)) {
      hasEnd = true;
      yield { ...found, repairs: [...before, ...found.repairs] };
      this.#triedChars += found.at - at;
      this.isOverBudget ||= this.#triedChars > maxTriedChars;
      if (this.isOverBudget) return;
    }
    if (!hasEnd) this.#fail(this.#text.length, 'the end of a string');
  }

  *#object(at: number, repairs: Repairs): Readings<unknown> {
    const second = this.#space(at + 1, repairs).at;
    const isDoubled = this.#text[second] === '{';
    const open = opened('}', isDoubled ? [...repairs, 'doubled braces'] : repairs, isDoubled);
    for (const read of this.#members(isDoubled ? second + 1 : at + 1, open))
      yield { ...read, value: Object.fromEntries(read.value) };
  }

  *#members(from: number, open: Open<Member>): Readings<readonly Member[]> {
    const { at, repairs } = this.#space(from, open.repairs);
    yield* this.#closed(at, { ...open, repairs });
    if (this.#text[at] === open.close || open.items.length >= maxItems) return;
    for (const key of this.#key(at, repairs)) {
      if (open.items.some(([name]) => name === key.value))
        return this.#fail(at, 'a name not used before');
      const colon = this.#space(key.at, key.repairs);
      if (this.#text[colon.at] !== ':') this.#fail(colon.at, 'a colon');
      else
        for (const read of this.#value(colon.at + 1, colon.repairs, afterMember)) {
          const items = [...open.items, [key.value, read.value] as const];
          yield* this.#afterItem(read.at, { ...open, items, repairs: read.repairs }, (...next) =>
            this.#members(...next),
          );
        }
    }
  }

  *#key(at: number, repairs: Repairs): Readings<string> {
    if (quoteAt(this.#text, at) !== undefined) return yield* this.#string(at, repairs);
    const word = match(wordPattern, this.#text, at);
    if (word !== '')
      yield { value: word, at: at + word.length, repairs: [...repairs, 'names without quotes'] };
    else this.#fail(at, 'a name in double quotes');
  }

  *#items(from: number, open: Open<unknown>): Readings<readonly unknown[]> {
    const { at, repairs } = this.#space(from, open.repairs);
    yield* this.#closed(at, { ...open, repairs });
    if (this.#text[at] === open.close || open.items.length >= maxItems) return;
    for (const read of this.#value(at, repairs, afterItem)) {
      const items = [...open.items, read.value];
      yield* this.#afterItem(read.at, { ...open, items, repairs: read.repairs }, (...next) =>
        this.#items(...next),
      );
    }
  }

  /** Reads a comma and what follows it, or the end of the list. */
  *#afterItem<Item>(
    from: number,
    open: Open<Item>,
    more: (from: number, open: Open<Item>) => Readings<readonly Item[]>,
  ): Readings<readonly Item[]> {
    const { at, repairs } = this.#space(from, open.repairs);
    if (this.#text[at] !== ',') return yield* this.#closed(at, { ...open, repairs }, 'a comma or ');
    const next = this.#space(at + 1, repairs);
    if (this.#text[next.at] === open.close)
      yield* this.#closed(next.at, {
        ...open,
        repairs: [...next.repairs, 'a comma at the end of a list'],
      });
    else if (next.at < this.#text.length) yield* more(next.at, { ...open, repairs: next.repairs });
    else this.#fail(next.at, 'another value');
  }

  *#closed<Item>(at: number, open: Open<Item>, alternative = ''): Readings<readonly Item[]> {
    const { close, items, repairs, isDoubled } = open;
    if (this.#text[at] === close) {
      const second = isDoubled ? this.#space(at + 1, repairs).at : at;
      if (this.#text[second] === close) yield { value: items, at: second + 1, repairs };
      else this.#fail(second, `a second ${close}`);
    } else if (at >= this.#text.length && this.#mayEnd())
      yield { value: items, at, repairs: [...repairs, `a missing ${close}`] };
    else this.#fail(at, `${alternative}${close}`);
  }

  /**
   * Returns whether brackets may be missing at the end of the text. A number or string at the very
   * end may be truncated, unless the text is known to be whole. Always false if quotes inside
   * strings are allowed, since two guesses in one text are too many.
   */
  #mayEnd(): boolean {
    const { isWhole, names } = this.#loose;
    return names === undefined && (isWhole || /[}\]]\s*$/.test(this.#text));
  }

  #space(at: number, repairs: Repairs): { readonly at: number; readonly repairs: Repairs } {
    const space = match(spacePattern, this.#text, at);
    return {
      at: at + space.length,
      repairs: space.trim() === '' ? repairs : [...repairs, 'comments'],
    };
  }

  #fail(at: number, wanted: string): void {
    if (at > this.#problem.at) this.#problem = { at, wanted };
  }
}

const opened = (close: '}' | ']', repairs: Repairs, isDoubled = false): Open<never> => ({
  items: [],
  repairs,
  close,
  isDoubled,
});

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
