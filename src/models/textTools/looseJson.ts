/**
 * Reads JSON as models write it. Repairs errors that can be repaired without guessing, and names
 * the repairs. Refuses a text that can be read in two ways or ends in the middle of a value.
 */
import { readLoosely, type LooseText } from './looseReader.ts';

export type Reading =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Names of the repairs, each once; empty for valid JSON. */
      readonly repairs: readonly string[];
      /** Offset in the text where the value ends. */
      readonly end: number;
    }
  | { readonly ok: false; readonly problem: string };

export interface ReadingOptions {
  /**
   * Whether the text is known to be complete, so that brackets missing at its end were forgotten
   * and not lost by truncation.
   */
  readonly isWhole: boolean;
  /** Names of the expected members, which show where a string with quotes inside ends. */
  readonly names: ReadonlySet<string>;
}

/**
 * Reads the value that begins at `from`. Allows unescaped quotes inside strings only if the value
 * cannot be read otherwise, and if exactly one reading of the whole text is possible.
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

/** Returns the reading of the text if there is exactly one; `otherwise` if there is none. */
function only(loose: LooseText, otherwise: Reading): Reading {
  const { readings, isOverBudget } = readLoosely(loose, 2);
  const [reading, another] = readings;
  if (reading === undefined) return otherwise;
  if (another === undefined && !isOverBudget) return { ok: true, ...reading };
  return {
    ok: false,
    problem: 'it holds unescaped quotes and can be read in more than one way',
  };
}

const shownChars = 24;

/** Describes a position by line and column, counted from 1. */
function placed(
  text: string,
  { at, wanted }: { readonly at: number; readonly wanted: string },
): string {
  const before = text.slice(0, at).split('\n');
  const place = `line ${before.length} column ${(before.at(-1)?.length ?? 0) + 1}`;
  const found = text.slice(at, at + shownChars);
  return found === ''
    ? `expected ${wanted} at ${place}, where the text ends`
    : `expected ${wanted} at ${place}, found ${JSON.stringify(found)}`;
}
