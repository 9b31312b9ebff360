/**
 * Reads limits on the size of a model from a goal, such as `at most 20000 parameters`. Other limits
 * on amounts are only named (`uncheckedDemands`), because no run certainly prints the amount.
 */
import type { Condition } from './target.ts';
import { amountFactors, comparatorSource, wordingOf } from './wordings.ts';

const amount = String.raw`(?<number>\d{1,3}(?:[.,]\d{3})+(?!\d|[.,]\d)|\d+(?:\.\d+)?(?:e\d+)?)\s*(?<factor>k|m|b|thousand|million|billion|tausend|millionen|milliarden)?`;
const kind = String.raw`(?:(?:trainable|learnable|total|model)\s+)?(?:parameters|params|parametern?)`;
const limit = new RegExp(
  String.raw`(?<word>${comparatorSource})\s*(?:a\s+total\s+of\s+)?${amount}[\s-]*(?<unit>${kind})(?!\p{L})(?=(?<after>[^.;\n]{0,40}))`,
  'giu',
);
/** `the number of parameters below 20000`, `params <= 5M`. */
const counted = new RegExp(
  String.raw`(?<unit>${kind})(?:\s+count)?\s*(?:must\s+be|should\s+be|must\s+stay|is|are|stays?|at)?\s*(?<word>${comparatorSource})\s*${amount}(?![\p{L}\d])(?=(?<after>[^.;\n]{0,40}))`,
  'giu',
);

/**
 * Matches words before a limit that make its meaning uncertain: `tune at most 3 parameters`, `if`.
 */
const uncertainBefore =
  /\b(?:tune|tunes|tuning|vary|varying|chang\p{L}*|sweep\p{L}*|search\p{L}*|optimi[sz]e|try|than|if|when|wenn|falls|instead|stell\p{L}*|not|never|nicht)\b[^.;,\n]{0,30}$/iu;
const uncertainAfter = /^\s*(?:per|each|pro|je|of each|in each|more|fewer|less|mehr|weniger)\b/iu;
/**
 * The smallest number that is certainly a limit on the size of a model, and not a count of
 * settings.
 */
const smallestModel = 1000;

/** Returns the limits that the text certainly states, such as `parameters <= 20000`. */
export const readLimits = (text: string): Condition[] => {
  const found = limitsIn(text);
  // If the text has two different numbers for the same amount, neither is certain.
  return new Set(found.map(({ value }) => value)).size > 1 ? [] : found.slice(0, 1);
};

/** Reads a number. Without a factor, a dot before three digits separates thousands, as in German. */
const numberOf = (text: string, factor: string | undefined): number =>
  Number(factor === undefined ? text.replaceAll(/[.,](?=\d{3})/g, '') : text.replaceAll(',', ''));

function limitsIn(text: string): Condition[] {
  return [...text.matchAll(limit), ...text.matchAll(counted)].flatMap((match): Condition[] => {
    const { word = '', unit = '', number = '', factor, after = '' } = match.groups ?? {};
    const comparator = wordingOf(word);
    if (comparator !== '<' && comparator !== '<=') return [];
    const value = numberOf(number, factor) * (amountFactors[factor?.toLowerCase() ?? ''] ?? 1);
    const isCertain =
      value >= smallestModel &&
      !uncertainBefore.test(text.slice(Math.max(0, match.index - 60), match.index)) &&
      !uncertainAfter.test(after);
    const metric = unit
      .toLowerCase()
      .replaceAll(/\s+/g, ' ')
      .replace(/parametern?$/, 'parameters');
    return isCertain ? [{ metric, comparator, value }] : [];
  });
}
