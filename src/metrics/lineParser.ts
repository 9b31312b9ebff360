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
import { anyName, pairExpression, scanJson, scanPairs, type Pair } from './pairScanner.ts';
import { counterNames, StepReader } from './stepReader.ts';

type EmitPoint = (metric: string, step: number, value: number) => void;

/**
 * Reads the metrics of one line of output. Stateless between lines, so reading can start at any of
 * them. A name has at most one value per line: the last. The step is the line's own, NaN where it
 * names none; never taken from other lines.
 */
export interface LineParser {
  parse(line: string, emit: EmitPoint): void;
}

/** The names or patterns to look for cannot be used; the message says which and why. */
export class MetricSpecError extends HeliosError {
  readonly reason = 'metric_spec';
}

/**
 * Throws `MetricSpecError` for a spec that could never work: call it before anything is launched.
 */
export function createLineParser(spec: MetricSpec): LineParser {
  const patterns = Object.entries(spec.patterns ?? {});
  if (patterns.length > 0) return patternParser(patterns);
  const names = (spec.names ?? []).map(checkedName);
  return names.length > 0 ? namesParser(names) : detectingParser();
}

/**
 * True when metrics are found by detection: then a name that is not known has to come twice to be
 * believed.
 */
export const isDetecting = (spec: MetricSpec): boolean =>
  Object.keys(spec.patterns ?? {}).length === 0 && (spec.names ?? []).length === 0;

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (isUsableName(trimmed)) return trimmed;
  throw new MetricSpecError(
    `The metric name ${JSON.stringify(name.slice(0, 80))} is empty, too long or has control characters in it. ` +
      'Give names as they stand in the output, such as "loss".',
  );
}

interface PairLine {
  /** Source of an expression for the names that are looked for. */
  readonly names: string;
  readonly reading: Reading;
  /** A cheap test that most lines without a point fail. */
  mayHavePoint(line: string): boolean;
  isPoint(pair: Pair, meaning: Meaning): boolean;
}

/**
 * One scan of a line, JSON or text; its points are held until all of it is read and its step is
 * known.
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

/** `9840/10000` is a share, as in `Accuracy: 9840/10000 (98%)`. */
const shareOf = ({ value, total }: Pair): number => (total > 0 ? value / total : value);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function namesParser(names: readonly string[]): LineParser {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const sources = longestFirst.map((name) =>
    escaped(name).replace(/(?:[\s_/-]|\\\.)+/g, '[\\s_./-]'),
  );
  const anyAsked = new RegExp(sources.join('|'), 'i');
  return pairLineParser({
    names: [...sources, counterNames].join('|'),
    reading: askedReading(names),
    // Names of one nested JSON key are put together only when it is read.
    mayHavePoint: (line) => line.startsWith('{"') || anyAsked.test(line),
    isPoint: () => true,
  });
}

/**
 * Precision over recall. A known metric (loss, accuracy, lr …) is taken in any form, but after a
 * mere space only with a fraction, an exponent or a non-finite value. Any other name needs a sign
 * (`name=1`, `name: 1`, a JSON key), must not be a clock, an id, a file name or a place
 * (`host:80`), and, as `RunMetrics` sees to it, must come a second time.
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

/** Longer lines are not searched: a pattern of a stranger may take quadratic time. */
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
    // With an empty alternative the expression matches the empty text, and the match shows its
    // groups.
    const groups = (new RegExp(`${source}|`).exec('')?.length ?? 1) - 1;
    if (groups > 0) return new RegExp(source, 'gi');
  } catch (error) {
    throw new MetricSpecError(
      `The pattern of metric ${name} is not a regular expression: ${messageOf(error)}`,
    );
  }
  throw new MetricSpecError(
    `The pattern of metric ${name} captures nothing. Put the number in a group, for example: ${name}=([\\d.eE+-]+)`,
  );
}

function lastValue(expression: RegExp, line: string): number | undefined {
  let value: number | undefined;
  expression.lastIndex = 0;
  for (let match = expression.exec(line); match !== null; match = expression.exec(line)) {
    value = readNumber(match[1] ?? '') ?? value;
    // A match of nothing would be found again for ever.
    if (match[0] === '') expression.lastIndex++;
  }
  return value;
}
