/**
 * JSON as models write it: what is wrong in a way that can be put right without guessing is put
 * right and named. Where a text could be read in two ways, or ends in the middle of a value, it is
 * not read at all.
 */
import { readLoosely, type LooseText } from './looseReader.ts';

export type Reading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What was put right, in words, each once; empty for JSON as it should be. */
      readonly repairs: readonly string[];
      /** Where the value ends in the text. */
      readonly end: number;
    }
  | { readonly ok: false; readonly problem: string };

export interface ReadingOptions {
  /**
   * The text is known to be whole: brackets that are missing at its end were forgotten, not cut
   * off.
   */
  readonly isWhole: boolean;
  /** Names of members that are to be expected: they tell where a string with quotes inside ends. */
  readonly names: ReadonlySet<string>;
}

/**
 * The value that begins at `from`. Quotes inside of strings are tried as the last thing, and only
 * where one reading of all the text is possible.
 */
export function readJson(text: string, from: number, { isWhole, names }: ReadingOptions): Reading {
  const plain = first({ text, from, isWhole });
  return plain.ok ? plain : only({ text, from, isWhole, names }, plain);
}

function first(loose: LooseText): Reading {
  const { readings, problem } = readLoosely(loose, 1);
  const [reading] = readings;
  return reading === undefined
    ? { ok: false, problem: placed(loose.text, problem) }
    : { ok: true, ...reading };
}

/** The one way to read the text, if there is one; `otherwise` where there is none. */
function only(loose: LooseText, otherwise: Reading): Reading {
  const { readings, isOverBudget } = readLoosely(loose, 2);
  const [reading, another] = readings;
  if (reading === undefined) return otherwise;
  if (another === undefined && !isOverBudget) return { ok: true, ...reading };
  return {
    ok: false,
    problem: 'it holds quotes that are not escaped, and can be read in more than one way',
  };
}

const shownChars = 24;

/** A position as people and models count: from 1. */
function placed(
  text: string,
  { at, wanted }: { readonly at: number; readonly wanted: string },
): string {
  const before = text.slice(0, at).split('\n');
  const place = `line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`;
  const found = text.slice(at, at + shownChars);
  return found === ''
    ? `at ${place} it ends where ${wanted} should follow`
    : `at ${place} ${wanted} should stand, and there is ${JSON.stringify(found)}`;
}
