/** Finds the values of a metric in a model's text that belong to other runs than its evidence. */
import { isSameMetric } from '../metrics/metricName.ts';
import { isAmong, namedRuns, numberPattern, readNumber, sentenceAt } from './claims.ts';
import type { KnownNumbers } from './knownNumbers.ts';

export interface ClaimedValue {
  /** The number as in the text. */
  readonly text: string;
  readonly sentence: string;
}

export interface EvidenceValues {
  readonly metric: string;
  readonly known: KnownNumbers;
  /** Thresholds of the goal. */
  readonly thresholds: readonly number[];
  /** Runs of the evidence and of the baseline. */
  readonly runs: readonly number[];
  /** Returns the runs of an experiment or a sweep: `e7`, `s2`. */
  runsOf(reference: string): readonly number[];
  /** Returns the values of runs, and of the settings that they belong to, in ascending order. */
  valuesOf(runs: readonly number[]): Float64Array;
}

/**
 * Returns the measured values of the metric in a text that neither the evidence nor a run that the
 * same sentence names has measured. Differences, ranges and thresholds are no such values.
 */
export function valuesOfOtherRuns(text: string, evidence: EvidenceValues): readonly ClaimedValue[] {
  const { metric, known, thresholds, runs } = evidence;
  return [...text.matchAll(numberPattern)].flatMap((match): ClaimedValue[] => {
    const [whole, percent] = match;
    const end = match.index + whole.length;
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    if (!isValueOf(metric, before, text.slice(end, end + 60))) return [];
    const written = readNumber(whole, percent !== undefined);
    const { value, isWhole, isPercent } = written;
    const isGiven = thresholds.some((one) => value === one || (isPercent && value === 100 * one));
    if ((isWhole && !isPercent) || isGiven || !isAmong(written, known.measured)) return [];
    const sentence = sentenceAt(text, match.index).trim();
    const references = [...sentence.matchAll(/\b[es]\d+\b/gi)].map(([one]) => one.toLowerCase());
    const named = [
      ...runs,
      ...namedRuns(sentence),
      ...references.flatMap((one) => evidence.runsOf(one)),
    ];
    return isAmong(written, evidence.valuesOf(named)) ? [] : [{ text: whole.trim(), sentence }];
  });
}

const link = /(?:[\s`*"]*(?:=|:|\b(?:is|was|of|at|reached|hit|got)\b))*[\s`*"]*$/i;
const wordsBefore = /(?:([A-Za-z][\w./-]*)\s+)?([A-Za-z][\w./-]*)$/;
const wordsAfter = /^[\s`*"]+([A-Za-z][\w./-]*)(?:\s+([A-Za-z][\w./-]*))?/;
/** Matches text before a number that is a bound, a difference or the start of a range. */
const boundBefore = /(?:\b(?:by|from|than|over|above|below|under|least|most|to)|[±<>=≥≤+−-])\s*$/i;
/** Matches text after a number that begins a range or is a difference. */
const otherAfter =
  /^\s*(?:(?:to|→|->|–|-)\s*[\d.]|(?:\S+\s+){0,2}(?:points?|pp|higher|lower|better|worse|more|less|above|below|gain|improvement|increase|drop)\b)/i;

/** Returns whether the name of the metric stands beside a number as the name of its value. */
function isValueOf(metric: string, before: string, after: string): boolean {
  if (otherAfter.test(after)) return false;
  const [, first = '', last = ''] = wordsBefore.exec(before.replace(link, '')) ?? [];
  if (isNamed(metric, last, `${first} ${last}`)) return true;
  if (boundBefore.test(before)) return false;
  const [, next = '', second = ''] = wordsAfter.exec(after) ?? [];
  return isNamed(metric, next, `${next} ${second}`);
}

const isNamed = (metric: string, ...names: readonly string[]): boolean =>
  names.some((name) => name.trim() !== '' && isSameMetric(name, metric));
