import { stripAnsi } from '../../base/text.ts';
import {
  askedReading,
  detectedReading,
  withCounters,
  type Meaning,
  type Reading,
} from './labels.ts';
import {
  anyName,
  mayBeRepeats,
  pairExpression,
  scanLine,
  scanRepeats,
  type Pair,
} from './lineFormats.ts';
import type { PlacedPair } from './lineShape.ts';
import { LineShapes, type ShapePoints } from './lineShapes.ts';
import { LineValues } from './lineValues.ts';
import type { MetricSpec } from '../metric.ts';
import { checkedName } from './metricSpec.ts';
import { PlainPairs, type Word } from './plainPairs.ts';
import { counterNames, counterOf, StepReader } from './stepReader.ts';
import { TableReader } from './tableReader.ts';
import { askedWords, detectedWords } from './words.ts';

type EmitPoint = (metric: string, step: number, value: number) => void;

/**
 * Reads the metrics of one line of output. Its only state between lines is the header of a table,
 * so reading can start at any line with `resume`. If a name occurs several times in a line, only
 * its last value is used. The step of a point is read from the same line; NaN if the line has no
 * step.
 */
export interface LineParser {
  parse(line: string, emit: EmitPoint): void;
  /** Recognises lines like those before; undefined if the parser recognises none. */
  readonly shapes?: LineShapes | undefined;
  /** Continues a table whose header an earlier process read. */
  resume(header: string): void;
}

/**
 * Returns a parser for the names of a spec, or for any metric if the spec has no names; in `also` only
 * counters are read, such as `epoch 3/6`. Does not use the patterns of a spec. `onHeader` is called with each new header of a table. Throws
 * `MetricSpecError` for an unusable name.
 */
export function createLineParser(
  spec: Pick<MetricSpec, 'names' | 'also'>,
  onHeader: (header: string) => void = () => undefined,
): LineParser {
  const names = (spec.names ?? []).map(checkedName);
  const counters = (spec.also ?? []).filter((name) => counterOf(name) !== undefined);
  return names.length > 0
    ? namesParser(names, counters, onHeader)
    : detectingParser(counters, onHeader);
}

interface PairLine {
  /** Source of the regular expression for the names to search for. */
  readonly names: string;
  readonly reading: Reading;
  /**
   * Returns the possible meanings of a word; undefined if a name has characters other than ASCII.
   */
  readonly wordOf: ((text: string) => Word) | undefined;
  /** Returns false for most lines without a point. A quick test before the line is scanned. */
  mayHavePoint(line: string): boolean;
  isPoint(pair: Pair, meaning: Meaning): boolean;
  /** True if the launch named metrics. */
  readonly isAsked: boolean;
  /** Whether a number in a line may be part of a name after a separator, as in `top_5`. */
  readonly hasNumberNames: boolean;
  onHeader(header: string): void;
}

/**
 * Returns a parser that scans a line of JSON or text once. Emits the points after the whole line is
 * read, when the step is known.
 */
function pairLineParser(source: PairLine): LineParser {
  const { names, reading, wordOf, mayHavePoint, isPoint, isAsked } = source;
  const expression = pairExpression(names);
  const plain = wordOf && new PlainPairs({ wordOf, reading });
  const shapes = plain && !source.hasNumberNames ? new LineShapes(!isAsked) : undefined;
  const table = new TableReader({
    ...source,
    onHeader(header) {
      shapes?.clear();
      source.onHeader(header);
    },
  });
  const steps = new StepReader();
  const found = new LineValues();
  const take = (pair: Pair, meaning: Meaning): void => {
    const { counter, metric } = meaning;
    if (counter !== undefined) steps.take(counter, pair);
    if (metric === undefined) return;
    const isOfTarget = counter !== undefined && !meaning.isKnown;
    const isRead = isOfTarget ? isCount(pair, found.count) : isPoint(pair, meaning);
    if (isRead) found.set(metric, counterOf(metric) === undefined ? shareOf(pair) : pair.value);
  };
  const onPair = (pair: Pair): void => take(pair, reading(pair.label));
  const reset = (): void => {
    found.clear();
    steps.reset();
  };
  /** Reads rows of a table, and summaries such as `median over 5 rounds: 401.2 ms`. */
  const readWhole = (line: string): boolean => {
    const hasWords = beginsWithWord(line);
    if (hasWords) table.begin(line);
    return table.readRow(line, onPair) || (hasWords && scanRepeats(line, onPair, isAsked));
  };
  /** Returns whether all pairs of the line are plain. */
  const readPairs = (line: string): boolean => {
    if (!mayHavePoint(line)) return true;
    if (!line.startsWith('{"') && plain?.read(line, take) === true) return true;
    reset();
    scanLine(expression, line, onPair);
    return false;
  };
  return {
    shapes,
    parse(raw, emit) {
      const line = stripAnsi(raw);
      reset();
      const isPlain = !readWhole(line) && readPairs(line);
      if (found.count > 0) found.emit(steps.stepOf(line), emit);
      if (!isPlain || shapes?.isWanted !== true || table.mayRead(line)) return;
      learnLine(line, shapes, { plain, take, found, steps });
    },
    resume: (header) => table.resume(header),
  };
}

interface PairReader {
  readonly plain: PlainPairs | undefined;
  readonly take: (pair: Pair, meaning: Meaning) => void;
  readonly found: LineValues;
  readonly steps: StepReader;
}

/**
 * Gives a shape to a line after it was read, if its points do not depend on the digits outside
 * names. Reads the line again, with the index of each pair in place of its value.
 */
function learnLine(line: string, shapes: LineShapes, reader: PairReader): void {
  const { plain, take, found, steps } = reader;
  const pairs: PlacedPair[] = [];
  const hasPoints = found.count > 0;
  if (mayBeRepeats(line) || (hasPoints && steps.needsText(line))) return;
  found.clear();
  steps.reset();
  if (hasPoints)
    plain?.read(line, (pair, meaning) => {
      take({ ...pair, value: pairs.length, total: Number.isNaN(pair.total) ? NaN : 0 }, meaning);
      pairs.push({ ...pair });
    });
  const step = steps.stepOf(line);
  shapes.learn(line, pairs, { ...indicesOf(found), step: Number.isNaN(step) ? -1 : step });
}

/** Returns the metrics of a line that was read with the index of each pair as its value. */
function indicesOf(found: LineValues): Pick<ShapePoints, 'metrics' | 'pairs'> {
  const [metrics, pairs]: [string[], number[]] = [[], []];
  found.emit(NaN, (metric, _, index) => {
    metrics.push(metric);
    pairs.push(index);
  });
  return { metrics, pairs };
}

/**
 * Returns false for most lines that can be neither the header of a table nor a summary such as
 * `median over 5 rounds: 401.2 ms`. A cheap first test.
 */
const beginsWithWord = (line: string): boolean =>
  isBeforeWords(line.charCodeAt(0)) && /^[\s|]{0,80}[a-z][a-z_]*[\s|,]/i.test(line);

/**
 * Returns whether a line of a table or a summary may begin with the character: a letter, a blank,
 * `|`, or any character that is not printable ASCII.
 */
const isBeforeWords = (code: number): boolean =>
  code <= 0x20 || code > 0x60 || (code > 0x40 && code < 0x5b);

/** Returns false for most lines without a number. A quick test. */
export const mayHoldNumber = (line: string): boolean => /\d/.test(line) || /nan|inf/i.test(line);

/**
 * Returns whether a counter is that of the line, and no word of a sentence: `loss=0.5 at epoch 3`.
 * `before`: number of metrics before it.
 */
const isCount = ({ sign, total }: Pair, before: number): boolean =>
  before === 0 || sign !== 'spaced' || !Number.isNaN(total);

/** Returns a fraction as a number: `Accuracy: 9840/10000 (98%)` is 0.984. */
const shareOf = ({ value, total }: Pair): number => (total > 0 ? value / total : value);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns the source of the regular expression for a name in any spelling. */
const sourceOf = (name: string): string => escaped(name).replace(/(?:[\s_/-]|\\\.)+/g, '[\\s_./-]');

/**
 * Returns the names without those that contain another name, because a line with the longer name
 * also has the shorter one.
 */
const shortest = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !names.some((other) => other !== name && name.includes(other)));

function namesParser(
  names: readonly string[],
  counters: readonly string[],
  onHeader: (header: string) => void,
): LineParser {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const sources = longestFirst.map(sourceOf);
  const anyRequested = new RegExp(
    shortest([...names, ...counters])
      .map(sourceOf)
      .join('|'),
    'i',
  );
  const reading = withCounters(askedReading(names), counters);
  const namesSource = [...sources, counterNames].join('|');
  return pairLineParser({
    names: namesSource,
    reading,
    wordOf: askedWords(names, namesSource, reading),
    isAsked: true,
    hasNumberNames: names.some((name) => /(?:^|[\s_./-])\d/.test(name)),
    onHeader,
    // A nested JSON key occurs in the line only in parts, so every line of JSON has to be scanned.
    mayHavePoint: (line) => anyRequested.test(line) || line.startsWith('{"'),
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
function detectingParser(
  counters: readonly string[],
  onHeader: (header: string) => void,
): LineParser {
  const reading = withCounters(detectedReading(), counters);
  return pairLineParser({
    names: anyName,
    reading,
    wordOf: detectedWords(reading),
    isAsked: false,
    hasNumberNames: false,
    onHeader,
    mayHavePoint: mayHoldNumber,
    isPoint({ sign, isMeasured, total }, { isKnown }) {
      if (sign === 'clear') return isKnown || Number.isNaN(total);
      return isKnown
        ? sign === 'tight' || isMeasured
        : sign === 'tight' && isMeasured && Number.isNaN(total);
    },
  });
}
