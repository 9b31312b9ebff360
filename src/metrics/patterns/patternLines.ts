/** Finds metrics in lines with regular expressions. Runs in the worker. */
import { stripAnsi } from '../../base/text.ts';
import { counterReading } from '../lines/labels.ts';
import { pairExpression, scanLine, type Pair } from '../lines/lineFormats.ts';
import { readNumber } from '../lines/numberText.ts';
import type { FoundPoints, JobPattern, PatternJob } from './patternJob.ts';
import { counterNames, StepReader } from '../lines/stepReader.ts';

/** Called before a line is searched with a pattern. */
type OnSearch = (pattern: number, line: number) => void;
/** Values by the index of the line, then by the index of the pattern. */
type FoundValues = Map<number, Map<number, FoundValue>>;

interface FoundValue {
  readonly value: number;
  /** Position in the line. */
  readonly at: number;
}

/**
 * Returns the points in the lines of a job. If a pattern matches several times in a line, only its
 * last number is used. Throws if an expression is too complex to be executed.
 */
export function searchLines({ patterns, text }: PatternJob, onSearch: OnSearch): FoundPoints {
  const lines = text.split('\n').map(stripAnsi);
  const found: FoundValues = new Map();
  for (const [pattern, { source, lines: count }] of patterns.entries()) {
    const expression = new RegExp(source, 'dgi');
    for (const [line, content] of lines.slice(0, count).entries()) {
      onSearch(pattern, line);
      const value = lastValue(expression, content);
      if (value !== undefined) valuesOf(found, line).set(pattern, value);
    }
  }
  return pointsOf(lines, found, patterns);
}

function valuesOf(found: FoundValues, line: number): Map<number, FoundValue> {
  const known = found.get(line) ?? new Map<number, FoundValue>();
  found.set(line, known);
  return known;
}

function pointsOf(
  lines: readonly string[],
  found: FoundValues,
  patterns: readonly JobPattern[],
): FoundPoints {
  const stepOf = stepFinder();
  const numbers: number[] = [];
  for (const [line, content] of lines.entries()) {
    const values = found.get(line);
    if (values === undefined) continue;
    const step = stepOf(content);
    for (const pattern of patterns.keys()) {
      const one = values.get(pattern);
      if (one !== undefined) numbers.push(line, pattern, step, one.value, one.at);
    }
  }
  return new Float64Array(numbers);
}

function stepFinder(): (line: string) => number {
  const counters = pairExpression(counterNames);
  const reading = counterReading();
  const steps = new StepReader();
  const onPair = (pair: Pair): void => {
    const { counter } = reading(pair.label);
    if (counter !== undefined) steps.take(counter, pair);
  };
  return (line) => {
    steps.reset();
    scanLine(counters, line, onPair);
    return steps.stepOf(line);
  };
}

function lastValue(expression: RegExp, line: string): FoundValue | undefined {
  let last: FoundValue | undefined;
  expression.lastIndex = 0;
  for (let match = expression.exec(line); match !== null; match = expression.exec(line)) {
    const value = readNumber(match[1] ?? '');
    if (value !== undefined) last = { value, at: match.indices?.[1]?.[0] ?? match.index };
    // Without this step, an empty match would be found again endlessly.
    if (match[0] === '') expression.lastIndex++;
  }
  return last;
}
