import { stripAnsi } from '../../base/text.ts';
import { askedReading, detectedReading, type Meaning, type Reading } from './labels.ts';
import { anyName, pairExpression, scanLine, scanRepeats, type Pair } from './lineFormats.ts';
import type { MetricSpec } from '../metric.ts';
import { checkedName } from './metricSpec.ts';
import { counterNames, StepReader } from './stepReader.ts';
import { TableReader } from './tableReader.ts';

type EmitPoint = (metric: string, step: number, value: number) => void;

/**
 * Reads the metrics of one line of output. Its only state between lines is the header of a table,
 * so reading can start at any line with `resume`. If a name occurs several times in a line, only
 * its last value is used. The step of a point is read from the same line; NaN if the line has no
 * step.
 */
export interface LineParser {
  parse(line: string, emit: EmitPoint): void;
  /** Continues a table whose header an earlier process read. */
  resume(header: string): void;
}

/**
 * Returns a parser for the names of a spec, or for any metric if the spec has no names. Does not
 * use the patterns of a spec. `onHeader` is called with each new header of a table. Throws
 * `MetricSpecError` for an unusable name.
 */
export function createLineParser(
  spec: Pick<MetricSpec, 'names'>,
  onHeader: (header: string) => void = () => undefined,
): LineParser {
  const names = (spec.names ?? []).map(checkedName);
  return names.length > 0 ? namesParser(names, onHeader) : detectingParser(onHeader);
}

interface PairLine {
  /** Source of the regular expression for the names to search for. */
  readonly names: string;
  readonly reading: Reading;
  /** Checks quickly, before the line is scanned. Returns false for most lines without a point. */
  mayHavePoint(line: string): boolean;
  isPoint(pair: Pair, meaning: Meaning): boolean;
  /** True if the launch named metrics. */
  readonly isAsked: boolean;
  onHeader(header: string): void;
}

/**
 * Returns a parser that scans a line of JSON or text once. Emits the points after the whole line is
 * read, when the step is known.
 */
function pairLineParser(source: PairLine): LineParser {
  const { names, reading, mayHavePoint, isPoint, isAsked } = source;
  const table = new TableReader(source);
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
      const line = stripAnsi(raw);
      found.clear();
      steps.reset();
      if (!table.read(line, onPair) && !scanRepeats(line, onPair, isAsked)) {
        if (!mayHoldNumber(line) || !mayHavePoint(line)) return;
        scanLine(expression, line, onPair);
      }
      if (found.size === 0) return;
      const step = steps.stepOf(line);
      for (const [name, value] of found) emit(name, step, value);
    },
    resume: (header) => table.resume(header),
  };
}

/** Checks quickly. Returns false for most lines without a number. */
export const mayHoldNumber = (line: string): boolean => /\d/.test(line) || /nan|inf/i.test(line);

/** Converts a fraction to a number: `Accuracy: 9840/10000 (98%)` gives 0.984. */
const shareOf = ({ value, total }: Pair): number => (total > 0 ? value / total : value);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function namesParser(names: readonly string[], onHeader: (header: string) => void): LineParser {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const sources = longestFirst.map((name) =>
    escaped(name).replace(/(?:[\s_/-]|\\\.)+/g, '[\\s_./-]'),
  );
  const anyRequested = new RegExp(sources.join('|'), 'i');
  return pairLineParser({
    names: [...sources, counterNames].join('|'),
    reading: askedReading(names),
    isAsked: true,
    onHeader,
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
function detectingParser(onHeader: (header: string) => void): LineParser {
  return pairLineParser({
    names: anyName,
    reading: detectedReading(),
    isAsked: false,
    onHeader,
    mayHavePoint: () => true,
    isPoint({ sign, digits, total }, { isKnown }) {
      if (sign === 'clear') return isKnown || Number.isNaN(total);
      const isMeasured = /[.ni]|\de/i.test(digits);
      return isKnown
        ? sign === 'tight' || isMeasured
        : sign === 'tight' && isMeasured && Number.isNaN(total);
    },
  });
}
