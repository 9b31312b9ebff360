import { stripAnsi } from '../../base/text.ts';
import { askedReading, detectedReading, type Meaning, type Reading } from './labels.ts';
import { anyName, pairExpression, scanLine, scanRepeats, type Pair } from './lineFormats.ts';
import { LineValues } from './lineValues.ts';
import type { MetricSpec } from '../metric.ts';
import { checkedName } from './metricSpec.ts';
import { PlainPairs, type Word } from './plainPairs.ts';
import { counterNames, StepReader } from './stepReader.ts';
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
  /**
   * Returns the possible meanings of a word; undefined if a name has characters other than ASCII.
   */
  readonly wordOf: ((text: string) => Word) | undefined;
  /** Returns false for most lines without a point. A quick test before the line is scanned. */
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
  const { names, reading, wordOf, mayHavePoint, isPoint, isAsked } = source;
  const table = new TableReader(source);
  const expression = pairExpression(names);
  const plain = wordOf && new PlainPairs({ wordOf, reading });
  const steps = new StepReader();
  const found = new LineValues();
  const take = (pair: Pair, meaning: Meaning): void => {
    if (meaning.counter !== undefined) steps.take(meaning.counter, pair);
    if (meaning.metric !== undefined && isPoint(pair, meaning))
      found.set(meaning.metric, shareOf(pair));
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
  return {
    parse(raw, emit) {
      const line = stripAnsi(raw);
      reset();
      if (!readWhole(line)) {
        if (!mayHavePoint(line)) return;
        if (line.startsWith('{"') || plain?.read(line, take) !== true) {
          reset();
          scanLine(expression, line, onPair);
        }
      }
      if (found.count > 0) found.emit(steps.stepOf(line), emit);
    },
    resume: (header) => table.resume(header),
  };
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

function namesParser(names: readonly string[], onHeader: (header: string) => void): LineParser {
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const sources = longestFirst.map(sourceOf);
  const anyRequested = new RegExp(shortest(names).map(sourceOf).join('|'), 'i');
  const reading = askedReading(names);
  const namesSource = [...sources, counterNames].join('|');
  return pairLineParser({
    names: namesSource,
    reading,
    wordOf: askedWords(names, namesSource, reading),
    isAsked: true,
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
function detectingParser(onHeader: (header: string) => void): LineParser {
  const reading = detectedReading();
  return pairLineParser({
    names: anyName,
    reading,
    wordOf: detectedWords(reading),
    isAsked: false,
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
