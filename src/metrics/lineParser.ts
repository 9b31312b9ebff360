import { HeliosError, messageOf } from '../base/errors.ts';
import { stripAnsi } from '../base/text.ts';
import {
  askedReading,
  counterReading,
  detectedReading,
  isUsableName,
  type Meaning,
  type Reading,
} from './labels.ts';
import type { MetricSpec } from './metric.ts';
import { readNumber } from './numberText.ts';
import { anyName, pairExpression, scanJson, scanPairs, type Pair } from './lineFormats.ts';
import { counterNames, StepReader } from './stepReader.ts';

type EmitPoint = (metric: string, step: number, value: number) => void;

/**
 * Reads the metrics of one line of output. Has no state between lines, so reading can start at any
 * line. If a name occurs several times in a line, only its last value is used. The step of a point
 * is read from the same line; NaN if the line has no step.
 */
export interface LineParser {
  parse(line: string, emit: EmitPoint): void;
}

/** Thrown for unusable metric names or patterns; the message says which ones and why. */
export class MetricSpecError extends HeliosError {
  readonly reason = 'metric_spec';
}

/**
 * Returns a parser. Throws `MetricSpecError` for an unusable name or pattern. Call this function
 * before launching a run, so that the run does not start with such a spec.
 */
export function createLineParser(spec: MetricSpec): LineParser {
  const patterns = Object.entries(spec.patterns ?? {});
  if (patterns.length > 0) return patternParser(patterns);
  const names = (spec.names ?? []).map(checkedName);
  return names.length > 0 ? namesParser(names) : detectingParser();
}

/**
 * Returns whether metrics are detected, which is the case if the spec has no names and no patterns.
 * A detected name that is not a known metric has to occur twice.
 */
export const isDetecting = (spec: MetricSpec): boolean =>
  Object.keys(spec.patterns ?? {}).length === 0 && (spec.names ?? []).length === 0;

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (isUsableName(trimmed)) return trimmed;
  throw new MetricSpecError(
    `The metric name ${JSON.stringify(name.slice(0, 80))} is empty, too long or contains control characters. ` +
      'Use the name as it appears in the output, such as "loss".',
  );
}

interface PairLine {
  /** Source of the regular expression for the names to search for. */
  readonly names: string;
  readonly reading: Reading;
  /** Checks quickly, before the line is scanned. Returns false for most lines without a point. */
  mayHavePoint(line: string): boolean;
  isPoint(pair: Pair, meaning: Meaning): boolean;
}

/**
 * Returns a parser that scans a line of JSON or text once. Emits the points after the whole line is
 * read, when the step is known.
 */
function pairLineParser({ names, reading, mayHavePoint, isPoint }: PairLine): LineParser {
  const expression = pairExpression(names);
  const steps = new StepReader();
  const found = new Map<string, number>();
  const onPair = (pair: Pair): void => {
    const meaning = reading(pair.label);
    if (meaning.counter !== undefined) steps.take(meaning.counter, pair);
    if (meaning.metric !== undefined && isPoint(pair, meaning))
      found.set(meaning.metric, shareOf(pair));
  };
  return {
    parse(raw, emit) {
      if (!mayHoldNumber(raw)) return;
      const line = stripAnsi(raw);
      if (!mayHavePoint(line)) return;
      found.clear();
      steps.reset();
      scanLine(expression, line, onPair);
      if (found.size === 0) return;
      const step = steps.stepOf(line);
      for (const [name, value] of found) emit(name, step, value);
    },
  };
}

const mayHoldNumber = (line: string): boolean => /\d/.test(line) || /nan|inf/i.test(line);

function scanLine(expression: RegExp, line: string, onPair: (pair: Pair) => void): void {
  if (line.startsWith('{"') && line.endsWith('}') && scanJson(line, onPair)) return;
  scanPairs(expression, line, onPair);
}

/** Converts a fraction to a number: `Accuracy: 9840/10000 (98%)` gives 0.984. */
const shareOf = ({ value, total }: Pair): number => (total > 0 ? value / total : value);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function namesParser(names: readonly string[]): LineParser {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const sources = longestFirst.map((name) =>
    escaped(name).replace(/(?:[\s_/-]|\\\.)+/g, '[\\s_./-]'),
  );
  const anyRequested = new RegExp(sources.join('|'), 'i');
  return pairLineParser({
    names: [...sources, counterNames].join('|'),
    reading: askedReading(names),
    // A nested JSON key occurs in the line only in parts, so every line of JSON has to be scanned.
    mayHavePoint: (line) => line.startsWith('{"') || anyRequested.test(line),
    isPoint: () => true,
  });
}

/**
 * Returns a parser that detects metrics and prefers to miss one over inventing one. A known metric
 * (loss, accuracy, lr …) is accepted in any form, but after a space only if the number has a
 * decimal point or an exponent or is not finite. Any other name needs a separator (`name: 1`,
 * `name=1`, a JSON key), must not be a time, an id, a file name or an address (`host:80`), and must
 * occur a second time (checked by `RunMetrics`).
 */
const detectingParser = (): LineParser =>
  pairLineParser({
    names: anyName,
    reading: detectedReading(),
    mayHavePoint: () => true,
    isPoint({ sign, digits, total }, { isKnown }) {
      if (sign === 'clear') return isKnown || Number.isNaN(total);
      const isMeasured = /[.ni]|\de/i.test(digits);
      return isKnown
        ? sign === 'tight' || isMeasured
        : sign === 'tight' && isMeasured && Number.isNaN(total);
    },
  });

/** Maximum length of a line that is matched: a user's pattern may take quadratic time. */
const maxPatternLineChars = 16 * 1024;

function patternParser(patterns: readonly (readonly [string, string])[]): LineParser {
  const compiled = patterns.map(([name, source]) => ({
    name: checkedName(name),
    expression: compile(name, source),
  }));
  const counters = pairExpression(counterNames);
  const reading = counterReading();
  const steps = new StepReader();
  const onPair = (pair: Pair): void => {
    const { counter } = reading(pair.label);
    if (counter !== undefined) steps.take(counter, pair);
  };
  return {
    parse(raw, emit) {
      if (raw.length > maxPatternLineChars) return;
      const line = stripAnsi(raw);
      const found = compiled.flatMap(({ name, expression }) => {
        const value = lastValue(expression, line);
        return value === undefined ? [] : [{ name, value }];
      });
      if (found.length === 0) return;
      steps.reset();
      scanLine(counters, line, onPair);
      const step = steps.stepOf(line);
      for (const { name, value } of found) emit(name, step, value);
    },
  };
}

function compile(name: string, source: string): RegExp {
  try {
    // Counts the capture groups: with an empty alternative, the pattern matches the empty text, and
    // the match has an element per group.
    const groups = (new RegExp(`${source}|`).exec('')?.length ?? 1) - 1;
    if (groups > 0) return new RegExp(source, 'gi');
  } catch (error) {
    throw new MetricSpecError(
      `The pattern of metric ${name} is not a regular expression: ${messageOf(error)}`,
    );
  }
  throw new MetricSpecError(
    `The pattern of metric ${name} has no capture group. Put the number in one, for example: ${name}=([\\d.eE+-]+)`,
  );
}

function lastValue(expression: RegExp, line: string): number | undefined {
  let value: number | undefined;
  expression.lastIndex = 0;
  for (let match = expression.exec(line); match !== null; match = expression.exec(line)) {
    value = readNumber(match[1] ?? '') ?? value;
    // Without this step, an empty match would be found again endlessly.
    if (match[0] === '') expression.lastIndex++;
  }
  return value;
}
