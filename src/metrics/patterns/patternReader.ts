/** Reads metrics by regular expressions: collects lines, and has a worker search them in order. */
import { messageOf } from '../../base/errors.ts';
import { cleanText, oneLine, stripAnsi } from '../../base/text.ts';
import { mayHoldNumber, type LineParser } from '../lines/lineParser.ts';
import type { LinePlace, LineReader, LineSink } from '../lines/lineReader.ts';
import type { MetricPoint } from '../metric.ts';
import { isSameMetric } from '../metricName.ts';
import { numbersPerPoint, type FoundPoints } from './patternJob.ts';
import { PatternSearch, patternLimitMs, type SearchOutcome } from './patternSearch.ts';

interface WaitingLine extends LinePlace {
  readonly text: string;
}

type Searcher = Pick<PatternSearch, 'search'>;

export interface PatternSource {
  /** Regular expressions by metric. */
  readonly patterns: Readonly<Record<string, string>>;
  /** Reads the metrics that have no pattern; points of metrics with a pattern are dropped. */
  readonly parser: LineParser | undefined;
  /** Names that the spec asks for, which stay if a pattern reads the same value under another name. */
  readonly asked?: readonly string[];
}

interface Pattern {
  readonly metric: string;
  readonly source: string;
  isOff: boolean;
}

/** A point that a pattern found. */
interface PatternPoint extends MetricPoint {
  /** Position of the value in the line without its ANSI codes. */
  readonly place: number;
}

/** Maximum length of a line that is searched: a pattern may take quadratic time. */
const maxLineChars = 16 * 1024;
/** Maximum length of the lines of a job, so that a pattern of ordinary speed meets its deadline. */
const maxJobChars = 64 * 1024;
/** Length of waiting lines at which reading of the output should pause. */
const maxWaitingChars = 8 * 1024 * 1024;
/** Memory per waiting line in addition to its text, in characters. */
const lineCost = 32;
const maxKnownNames = 2000;

export class PatternReader implements LineReader {
  readonly isLate = true;
  readonly shapes = undefined;
  readonly #patterns: readonly Pattern[];
  readonly #parser: LineParser | undefined;
  readonly #asked: readonly string[];
  readonly #sink: LineSink;
  readonly #search: Searcher;
  readonly #ownSearch: PatternSearch | undefined;
  /** Whether a detected name has a pattern, for the names asked so far. */
  readonly #byPattern = new Map<string, boolean>();
  #waiting: WaitingLine[] = [];
  #waitingChars = 0;
  #working: Promise<void> | undefined;
  #relief: PromiseWithResolvers<void> | undefined;
  /** Counts the calls of `forget`, so that the results of forgotten lines are ignored. */
  #era = 0;
  #isDisposed = false;

  constructor({ patterns, parser, asked = [] }: PatternSource, sink: LineSink, search?: Searcher) {
    this.#parser = parser;
    this.#asked = asked;
    this.#patterns = Object.entries(patterns).map(([metric, source]) => ({
      metric: metric.trim(),
      source,
      isOff: false,
    }));
    this.#sink = sink;
    if (search === undefined) this.#search = this.#ownSearch = new PatternSearch();
    else this.#search = search;
  }

  get backlog(): Promise<void> | undefined {
    return this.#relief?.promise;
  }

  read(line: string, place: LinePlace): void {
    const isSearched = this.#parser !== undefined || mayHoldNumber(line);
    const text = line.length <= maxLineChars && isSearched ? line : '';
    this.#waiting.push({ text, ...place });
    this.#waitingChars += text.length + lineCost;
    if (this.#waitingChars > maxWaitingChars) this.#relief ??= Promise.withResolvers();
    // Started later, so that the lines of a chunk are searched together.
    this.#working ??= Promise.resolve().then(() => this.#work());
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  resume(header: string): void {
    this.#parser?.resume(header);
  }

  forget(): void {
    this.#era += 1;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#relieve();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.forget();
    this.#ownSearch?.dispose();
  }

  async #work(): Promise<void> {
    for (let lines = this.#take(); lines.length > 0; lines = this.#take()) {
      const era = this.#era;
      const points = await this.#searched(lines);
      if (era === this.#era) this.#report(lines, points);
      if (this.#waitingChars < maxWaitingChars / 2) this.#relieve();
    }
    this.#working = undefined;
  }

  #relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }

  #take(): readonly WaitingLine[] {
    let chars = 0;
    let count = 0;
    for (; count < this.#waiting.length && chars < maxJobChars; count++)
      chars += (this.#waiting[count]?.text.length ?? 0) + lineCost;
    this.#waitingChars -= chars;
    return this.#waiting.splice(0, count);
  }

  /** Searches lines until no pattern has to be switched off. */
  async #searched(lines: readonly WaitingLine[]): Promise<FoundPoints> {
    const text = lines.map((line) => line.text).join('\n');
    const ends = this.#patterns.map(({ isOff }) => (isOff ? 0 : lines.length));
    while (!this.#isDisposed && ends.some((end) => end > 0)) {
      const patterns = this.#patterns.map(({ source }, index) => ({
        source,
        lines: ends[index] ?? 0,
      }));
      const outcome = await this.#search
        .search({ patterns, text })
        .catch((error: unknown) => messageOf(error));
      if (this.#isDisposed) break;
      if (typeof outcome === 'string') this.#switchAllOff(outcome, ends);
      else if (outcome.kind === 'found') return outcome.points;
      else this.#switchOff(outcome, ends);
    }
    return new Float64Array();
  }

  /**
   * Switches a pattern off. Lines before the line that took too long are searched again, but only
   * once, because together they may take as long.
   */
  #switchOff(outcome: Exclude<SearchOutcome, { kind: 'found' }>, ends: number[]): void {
    const pattern = this.#patterns[outcome.pattern];
    if (pattern === undefined) return void ends.fill(0);
    ends[outcome.pattern] = outcome.kind === 'slow' && !pattern.isOff ? outcome.line : 0;
    if (pattern.isOff) return;
    pattern.isOff = true;
    this.#sink.onSwitchedOff(`${shown(pattern)} ${reasonOf(outcome)}`);
  }

  #switchAllOff(why: string, ends: number[]): void {
    ends.fill(0);
    for (const pattern of this.#patterns) pattern.isOff = true;
    this.#sink.onSwitchedOff(`the metric patterns cannot be searched for: ${why}`);
  }

  #report(lines: readonly WaitingLine[], numbers: FoundPoints): void {
    let at = 0;
    for (const [index, { text, timeMs, end }] of lines.entries()) {
      const found: PatternPoint[] = [];
      for (; numbers[at] === index; at += numbersPerPoint) {
        const [pattern = 0, step = NaN, value = NaN, place = 0] = numbers.subarray(
          at + 1,
          at + numbersPerPoint,
        );
        found.push({ metric: this.#patterns[pattern]?.metric ?? '', step, timeMs, value, place });
      }
      const plain = found.length === 0 ? '' : stripAnsi(text);
      const points: MetricPoint[] = [];
      this.#parser?.parse(text, (metric, step, value) => {
        const isRead =
          this.#hasPattern(metric) ||
          found.some((one) => this.#isOtherName({ metric, value }, one, plain));
        if (!isRead) points.push({ metric, step, timeMs, value });
      });
      points.push(...found.map(({ place: _, ...point }) => point));
      if (points.length > 0) this.#sink.onPoints(points, end);
    }
    const last = lines.at(-1);
    if (last !== undefined) this.#sink.onReadLate(last);
  }

  /** Returns whether a detected point is the value that a pattern found, under the printed name. */
  #isOtherName(
    { metric, value }: Pick<MetricPoint, 'metric' | 'value'>,
    found: PatternPoint,
    line: string,
  ): boolean {
    return (
      Object.is(value, found.value) &&
      endsWithName(line.slice(0, found.place), metric) &&
      !this.#asked.some((name) => isSameMetric(name, metric))
    );
  }

  /** Returns whether a pattern reads the metric, in this or another spelling. */
  #hasPattern(metric: string): boolean {
    const known = this.#byPattern.get(metric);
    if (known !== undefined) return known;
    const has = this.#patterns.some((pattern) => isSameMetric(pattern.metric, metric));
    if (this.#byPattern.size < maxKnownNames) this.#byPattern.set(metric, has);
    return has;
  }
}

/** Returns whether the words of a name, such as `val_loss`, are the last words of the text. */
function endsWithName(text: string, name: string): boolean {
  const words = wordsOf(name);
  const last = wordsOf(text.slice(-maxNameChars)).slice(-words.length);
  return words.length > 0 && words.join(' ') === last.join(' ');
}

const maxNameChars = 200;
const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const shown = ({ metric, source }: Pattern): string =>
  `the pattern ${oneLine(cleanText(source), 200)} of the metric ${metric}`;

const off = 'is switched off for this run, which gets no further points of it';
const advice =
  'Rewrite it without nested repetition, such as (\\w+\\s?)+, in helios.json or metric_patterns';

const reasonOf = (outcome: Exclude<SearchOutcome, { kind: 'found' }>): string =>
  outcome.kind === 'slow'
    ? `took longer than ${patternLimitMs / 1000} s on ${outcome.isOneLine ? 'one line' : 'a few lines'} and ${off}. ${advice}`
    : `cannot be used and ${off}: ${outcome.why}. ${advice}`;
