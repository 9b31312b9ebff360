/** Finds the numbers in a model's text that no run has measured. */
import { plain } from '../base/markdown.ts';
import { directionOf } from '../metrics/direction.ts';
import { runName } from '../runs/run.ts';
import { withEnglishNumbers } from './germanNumbers.ts';
import type { KnownNumbers } from './knownNumbers.ts';
import { settingNumbers } from './settingNumbers.ts';

/** A number in a model's text that no run has measured. */
export interface UnmeasuredNumber {
  /** The number as in the text, with its percent sign. */
  readonly text: string;
  /** Offset in the text after the number. */
  readonly end: number;
  /** True if it is a value of an imported result. */
  readonly isImported: boolean;
  /** The measured value, if the text names the run: `run 46 measured 2.1262`. */
  readonly instead?: string;
}

export const numberPattern =
  /(?<![\w.]|[A-Za-z]-)(?:[-+−])?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:e[-+]?\d+)?(?!(?!x\b)\w|\.\d)(\s*%)?/gi;
/**
 * Matches what follows a number that is not a metric value: the unit of a duration or a size, a
 * currency, or the rest of a date, a clock time or a version.
 */
const unitBehind =
  /^(?:\s*(?:ms|µs|s|sec|seconds?|min|minutes?|h|hours?|days?|[kmgt]i?b|bytes?|usd|dollars?)\b|[:/]\d|-\d{2}\b)/i;
const metricBefore =
  /([A-Za-z][\w./-]*)[\s`*_"]*(?:(?:=|:|<=?|>=?|≈|~|is|was|of|to|at|reached|hit|got|ist|war|von|auf|bei|betrug|beträgt|erreichte?)[\s`*_"]*){0,2}$/i;
/**
 * Matches the start of a label of a redacted secret. Digits in such a label are not a number of the
 * text.
 */
const inLabel = /⟨secret [^⟩]*$/;
/** Number of characters at the start of a text that are searched for numbers. */
const maxTextChars = 50_000;

/** Returns the numbers of a model's text that were neither measured nor given, in text order. */
export function unmeasuredNumbers(text: string, known: KnownNumbers): readonly UnmeasuredNumber[] {
  const found: UnmeasuredNumber[] = [];
  const shown = withEnglishNumbers(text.slice(0, maxTextChars), isMetricBefore);
  const settings = settingNumbers(shown, known.parameters, numberPattern);
  for (const match of shown.matchAll(numberPattern)) {
    const [whole, percent] = match;
    const end = match.index + whole.length;
    const before = shown.slice(Math.max(0, match.index - 60), match.index);
    const written = readNumber(whole, percent !== undefined);
    const behind = shown.slice(end, end + 24);
    const counted = miscounted(written, { before, behind }, known);
    if (counted !== undefined) {
      const isImported = false;
      found.push({ text: text.slice(match.index, end).trim(), end, isImported, instead: counted });
      continue;
    }
    if (!isClaim(written, before, behind)) continue;
    if (settings.has(match.index) || inLabel.test(before)) continue;
    const sentence = sentenceAt(shown, match.index);
    const after = shown.slice(end, end + 60);
    const measured = measuredFor({ sentence, before, after }, known);
    if (isKnown(written, { ...known, measured })) continue;
    if (isDifference(written, sentence, known)) continue;
    if (isDifferenceOfMeans(written, { sentence, before, after }, known)) continue;
    if (isOfBaseline(written, { sentence, before, after }, known)) continue;
    const isImported = isAmong(written, known.imported);
    const instead = insteadText({ sentence, before, after }, known);
    const asWritten = text.slice(match.index, end).trim();
    found.push({ text: asWritten, end, isImported, ...(instead && { instead }) });
  }
  return found;
}

const allRuns = /\ball(?:\s+(?:of\s+)?(?:the|my|our|these))?\s*$/i;
const succeeded =
  /^\s*runs?\s+(?:(?:were|have|all|ended|finished|completed)\s+)*(?:ok\b|succe|successful|without\s+(?:a\s+)?fail)/i;
const parametersBehind = /^\s*(?:trainable\s+)?param(?:s|eters)\b/i;

/**
 * Returns what is true instead of a count: of all runs that succeeded, or of the parameters of a
 * model. Returns `undefined` if the number is no such count, or right.
 */
function miscounted(
  { value, isWhole, isPercent }: Written,
  { before, behind }: Pick<Place, 'before'> & { readonly behind: string },
  { ended: { all, ok }, sizes, given }: KnownNumbers,
): string | undefined {
  if (!isWhole || isPercent) return undefined;
  if (value > ok && allRuns.test(before) && succeeded.test(behind))
    return `${ok} of ${all} runs succeeded`;
  const isSize = sizes.size > 0 && parametersBehind.test(behind);
  if (!isSize || sizes.has(value) || given.has(value)) return undefined;
  return sizes.size === 1 ? `the runs printed ${[...sizes].join()}` : 'printed by no run';
}

/** Returns what the only run beside the number measured in the decisive metric. */
function insteadText(place: Place, { ofRun }: KnownNumbers): string | undefined {
  const [only, ...others] = runsBeside(place);
  const value = only === undefined || others.length > 0 ? undefined : ofRun.get(only);
  return value === undefined ? undefined : `${runName(only ?? 0)} measured ${value}`;
}

/** Returns the sentence or table row around a position. */
export function sentenceAt(text: string, at: number): string {
  const start = Math.max(
    ...[...text.slice(0, at).matchAll(/[.!?]\s|\n/g)].map(({ index }) => index),
    -1,
  );
  const end = text.slice(at).search(/[.!?](?:\s|$)|\n/);
  return text.slice(start + 1, end < 0 ? undefined : at + end);
}

const runMention = /\bruns?\s+(\d+)\b(?!\s*(?:,|and|to|-|–)\s*\d)/gi;

/** A run, a list or a range of runs: `run 7`, `runs 4, 5 and 9`, `runs 35 to 37`, `runs 35–37`. */
const listed = String.raw`\d+\b(?!\.\d)`;
const joint = String.raw`\s*(?:,\s*(?:and\b)?|and\b|to\b|-|–|&)\s*(?:runs?\s+)?`;
const runs = String.raw`\bruns?\s+(${listed}(?:${joint}${listed})*)`;
const note = String.raw`(?:\([^()\n]{0,40}\)\s*)?`;

/** Runs directly before a number: `run 14 (seed 0): `, `| run 14 | `, `runs 4-6 reached `. */
const runsBefore = new RegExp(
  String.raw`${runs}\s*${note}(?:[:=|]|\b(?:measured|reached|gave|got|hit|with|at|printed|scored)\b)\s*(?<name>[A-Za-z][\w./-]*[\s:=]+)?$`,
  'i',
);
/** Runs directly after a number: `, run 20`, ` (runs 35 to 37)`, ` in run 8`, ` | run 8`. */
const runsAfter = new RegExp(
  String.raw`^\s*(?:[,(|]|in\b|of\b|from\b|by\b)\s*(?:(?:the\s+)?(?:mean|average)\s+(?:of|over)\s+)?${runs}(?!${joint}${listed}|\s*${note}[:=])`,
  'i',
);

const maxRange = 1_000;

/** Returns the numbers of the runs in a text such as `4, 6 and 8–10`. */
function runNumbers(text: string): readonly number[] {
  const pairs = text.matchAll(/(\d+)(?:\s*(?:to\b|-|–)\s*(?:runs?\s+)?(\d+))?/gi);
  return [...pairs].flatMap(([, first = '', last = first]) => {
    const count = Number(last) - Number(first) + 1;
    if (count < 1 || count > maxRange) return [Number(first), Number(last)];
    return Array.from({ length: count }, (_, index) => Number(first) + index);
  });
}

/** Returns the numbers of the runs that a sentence names. */
export const namedRuns = (sentence: string): readonly number[] =>
  [...sentence.matchAll(new RegExp(runs, 'gi'))].flatMap(([, list = '']) => runNumbers(list));

interface Place {
  readonly sentence: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the numbers of the runs directly before and after a number. */
function runsBeside({ before, after }: Pick<Place, 'before' | 'after'>): readonly number[] {
  const found = runsBefore.exec(before);
  const [first = '', name = ''] = [found?.[1], found?.groups?.['name']];
  const isMetric = name === '' || directionOf(name.replace(/[\s:=]+$/, '')) !== 'none';
  return [isMetric ? first : '', runsAfter.exec(after)?.[1] ?? ''].flatMap(runNumbers);
}

/**
 * Returns the values of the runs that stand directly beside the number, with the means of their
 * settings. Without such runs, if the number follows a metric, returns the values of the only run
 * that the sentence names; otherwise all values.
 */
function measuredFor({ sentence, before, after }: Place, known: KnownNumbers): Float64Array {
  const beside = runsBeside({ before, after }).flatMap((number) => known.byRun.get(number) ?? []);
  const values = beside.flatMap((one) => [...one]);
  if (beside.length > 0) return Float64Array.from(values).sort();
  const named = new Set([...sentence.matchAll(runMention)].map(([, number]) => Number(number)));
  const [only] = named;
  const name = metricBefore.exec(before)?.[1];
  const isOfRun = only !== undefined && named.size === 1 && name !== undefined;
  const isMetric = isOfRun && directionOf(name) !== 'none';
  return (isMetric ? known.byRun.get(only) : undefined) ?? known.measured;
}

const maxSentenceValues = 200;

/** Returns whether the number is a difference or ratio of values of the runs in the sentence. */
function isDifference(written: Written, sentence: string, known: KnownNumbers): boolean {
  const values = (sentence.match(numberPattern) ?? [])
    .map((text) => readNumber(text, text.includes('%')).value)
    .filter((value) => Number.isFinite(value) && value !== written.value)
    .filter((value) => hasNear(known.measured, value, Math.abs(value) * 1e-3));
  if (values.length > maxSentenceValues) return false;
  const tolerance = toleranceOf(written) * 1.5;
  const isNear = (value: number): boolean => Math.abs(Math.abs(written.value) - value) <= tolerance;
  return values.some((one, index) =>
    values.slice(index + 1).some((other) => {
      const ratio = Math.abs(one / other);
      const change = 100 * Math.abs(1 - ratio);
      const back = 100 * Math.abs(1 - 1 / ratio);
      return written.isPercent
        ? isNear(change) || isNear(back) || isNear(100 * ratio) || isNear(100 / ratio)
        : isNear(Math.abs(one - other)) || isNear(ratio) || isNear(1 / ratio);
    }),
  );
}

/** Words of a sentence about a difference. Other numbers in a text are values. */
const differenceWords =
  /\b(?:by|gain\w*|improve\w*|better|worse|more|less|fewer|lower|higher|above|below|drop\w*|f[ae]ll\w*|r[io]se\w*|differ\w*|margin|lead|lift\w*|cost\w*|points?|pp)\b/i;
const pointsBehind = /^\s*(?:percentage\s+)?(?:points?|pp)\b/i;

/**
 * Returns whether the number is the difference between the means of two settings, which the
 * sentence need not name: `a gain of 0.159`, `15.9 points`.
 */
function isDifferenceOfMeans(
  written: Written,
  { sentence, after }: Place,
  { means }: KnownNumbers,
): boolean {
  if (written.isPercent || !differenceWords.test(sentence)) return false;
  const scale = pointsBehind.test(after) ? 100 : 1;
  const tolerance = toleranceOf(written);
  const wanted = Math.abs(written.value);
  return means.some((values) =>
    values.some((one, index) =>
      values
        .slice(index + 1)
        .some((other) => Math.abs(wanted - scale * Math.abs(one - other)) <= tolerance),
    ),
  );
}

/**
 * Returns whether the number is the ratio of a mean to a baseline, or the change since the baseline
 * in percent: `0.47 × the baseline`, `27 % of the baseline`.
 */
function isOfBaseline(
  written: Written,
  { sentence, after }: Place,
  { means, baselines, measured }: KnownNumbers,
): boolean {
  if (
    !/\bbase(?:line)?\b|^\s*(?:×|x\b|times\b)/i.test(`${after}\n`) &&
    !/\bbaseline/i.test(sentence)
  )
    return false;
  const values = [...means.flat(), ...namedValues(sentence, measured)];
  const tolerance = toleranceOf(written);
  const wanted = Math.abs(written.value);
  return baselines.some((baseline) =>
    values.some((value) => {
      const forms = formsOf(Math.abs(value / baseline), written);
      return value !== baseline && forms.some((form) => Math.abs(wanted - form) <= tolerance);
    }),
  );
}

/** Returns the numbers by which a text can state the ratio to a baseline. */
const formsOf = (ratio: number, { isPercent }: Written): readonly number[] =>
  isPercent ? [100 * ratio, 100 * Math.abs(1 - ratio)] : [ratio, 1 / ratio];

/** Returns the measured values that the sentence names. */
const namedValues = (sentence: string, measured: Float64Array): readonly number[] =>
  (sentence.match(numberPattern) ?? [])
    .slice(0, maxSentenceValues)
    .map((text) => readNumber(text, false).value)
    .filter((value) => hasNear(measured, value, Math.abs(value) * 1e-3));

/** Returns a model's text with a mark after each number that no run has measured. */
export const withMarks = (
  text: string,
  known: KnownNumbers,
  [opening, closing] = [' (', ')'],
): string =>
  unmeasuredNumbers(text, known).reduceRight((so, { end, isImported, instead }) => {
    const mark = isImported ? 'imported, not measured by Helios' : (instead ?? 'not measured');
    return `${so.slice(0, end)}${opening}${mark}${closing}${so.slice(end)}`;
  }, text);

/** Signs around a mark while a text is escaped, because escaping does not change them. */
const [opens, closes] = ['\uE000', '\uE001'] as const;
const markPattern = /[\uE000\uE001]/g;

/** Returns a model's text as one line of Markdown, with unmeasured numbers marked. */
export function flagged(text: string, known: KnownNumbers, maxChars: number): string {
  const clean = text.replace(markPattern, '');
  const marked = withMarks(clean, known, [opens, closes]);
  return plain(marked, maxChars + marked.length - clean.length).replace(markPattern, (sign) =>
    sign === opens ? ' *(' : ')*',
  );
}

/** Returns a model's text as a Markdown quotation, with unmeasured numbers marked. */
export function quotation(text: string, known: KnownNumbers, maxLines = 60): string {
  const lines = text.trim().split(/\r?\n/);
  const shown = lines
    .slice(0, maxLines)
    .map((line) => `> ${flagged(line, known, 1_000)}`.trimEnd());
  const rest =
    lines.length > maxLines ? [`>`, `> … and ${lines.length - maxLines} more lines`] : [];
  return [...shown, ...rest].join('\n');
}

interface Written {
  readonly value: number;
  readonly isPercent: boolean;
  readonly isWhole: boolean;
  /** Half of one unit in the last digit of the number as written, for rounding. */
  readonly halfUnit: number;
}

export function readNumber(text: string, isPercent: boolean): Written {
  const digits = text
    .replace(/[,%\s]/g, '')
    .replace('−', '-')
    .toLowerCase();
  const [mantissa = '', exponent = '0'] = digits.split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  const isWhole = decimals === 0 && !digits.includes('e');
  return {
    value: Number(digits),
    isPercent,
    isWhole,
    halfUnit: 0.5 * 10 ** (Number(exponent) - decimals),
  };
}

/**
 * Returns whether a number can be a claim about a metric. A whole number is a count, not a claim,
 * unless it is a percentage or follows the name of a metric.
 */
function isClaim({ value, isPercent, isWhole }: Written, before: string, behind: string): boolean {
  if (!Number.isFinite(value) || /[$€£]\s*$/.test(before) || unitBehind.test(behind)) return false;
  if (!isWhole || isPercent) return true;
  return isMetricBefore(before);
}

/** Returns whether the text ends with the name of a metric, so that its value follows. */
function isMetricBefore(text: string): boolean {
  const name = metricBefore.exec(text)?.[1];
  return name !== undefined && directionOf(name) !== 'none';
}

function isKnown(written: Written, { measured, given }: KnownNumbers): boolean {
  const { value, isPercent } = written;
  if (given.has(value) || (isPercent && given.has(value / 100))) return true;
  return isAmong(written, measured);
}

/** Returns whether a number of a text equals one of the values, as far as it is written. */
export function isAmong(written: Written, sorted: Float64Array): boolean {
  const { value, isPercent } = written;
  const tolerance = toleranceOf(written);
  if (hasNear(sorted, value, tolerance)) return true;
  return isPercent && hasNear(sorted, value / 100, tolerance / 100);
}

/**
 * Returns the largest difference at which a number in the text still equals a measured value.
 * Allows for rounding to the digits of the text; a whole number must also be within 1 % of the
 * value.
 */
const toleranceOf = ({ value, isWhole, halfUnit }: Written): number =>
  (isWhole ? Math.min(halfUnit, 0.01 * Math.abs(value)) : halfUnit) * (1 + 1e-9);

function hasNear(sorted: Float64Array, value: number, tolerance: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value - tolerance) low = middle + 1;
    else high = middle;
  }
  return (sorted[low] ?? Infinity) <= value + tolerance;
}
