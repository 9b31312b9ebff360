import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { systemWrite, type WriteAt } from './appendOnly.ts';
import { createLineReader } from './createLineReader.ts';
import { directionOf, isKnownMetric } from './direction.ts';
import type { LinePlace, LineReader } from './lineReader.ts';
import { LineSplitter } from './lineSplitter.ts';
import type { MetricPoint, MetricSpec, MetricSummary, SeriesColumns, Trend } from './metric.ts';
import { MetricsError } from './metricsError.ts';
import { isDetecting } from './metricSpec.ts';
import type { PatternSearch } from './patternSearch.ts';
import { PointsFile, type NamedRecord } from './pointsFile.ts';
import { Series } from './series.ts';
import { trendOf } from './trend.ts';

/**
 * After this number of bytes of output without points, the position is recorded, so that these
 * bytes are not read again after a restart.
 */
const progressEveryBytes = 1024 * 1024;
/** Maximum number of detected names: some programs print a new name on every line. */
const maxDetectedNames = 2000;

interface MetricsOptions {
  /** Writes to the files. Default: the system's own way. */
  readonly write?: WriteAt;
  /** Worker that searches lines with the patterns of the spec. Default: a worker of its own. */
  readonly search?: PatternSearch | undefined;
}

interface Track {
  series: Series;
  /**
   * Whether the metric is shown. A detected unknown name that occurred only once is recorded but
   * not shown.
   */
  isShown: boolean;
}

/**
 * The metrics of one run. Reads points from the run's output as the output arrives, and stores them
 * in memory and in append-only files in `folder`. After a restart, continues after the last output
 * whose points are in these files. A crash at any time neither loses nor doubles a point.
 */
export class RunMetrics implements Disposable {
  readonly #spec: MetricSpec;
  readonly #reader: LineReader;
  readonly #isDetecting: boolean;
  readonly #tracks = new Map<string, Track>();
  readonly #added = new Emitter<readonly MetricPoint[]>();
  readonly #switchedOff = new Emitter<string>();
  #splitter = new LineSplitter(0);
  #file: PointsFile | undefined;
  #problems: readonly string[] = [];
  #recordedOffset = 0;
  #unannounced: MetricPoint[] = [];

  private constructor(spec: MetricSpec, search: PatternSearch | undefined) {
    this.#spec = spec;
    const sink = {
      onPoints: (points: readonly MetricPoint[], end: number) => this.#record(points, end),
      onReadLate: (last: LinePlace) => this.#readLate(last),
      onSwitchedOff: (why: string) => this.#switchedOff.fire(why),
    };
    this.#reader = createLineReader(spec, sink, search);
    this.#isDetecting = isDetecting(spec);
  }

  /**
   * Opens the metrics in `folder` and reads the recorded points, if any. Rejects with
   * `MetricSpecError`, before accessing the disk, or with `MetricsError` (`no_space`, `io`).
   */
  static async open(
    folder: string,
    spec: MetricSpec,
    { write = systemWrite, search }: MetricsOptions = {},
  ): Promise<RunMetrics> {
    const metrics = new RunMetrics(spec, search);
    const { file, problems } = await PointsFile.open(folder, write, (record) =>
      metrics.#recall(record),
    );
    metrics.#file = file;
    metrics.#problems = problems;
    metrics.#splitter = new LineSplitter(metrics.#recordedOffset);
    return metrics;
  }

  /** Fires with new points, in the order of the output, after the points are on disk. */
  readonly onDidAdd: Event<readonly MetricPoint[]> = this.#added.event;
  /**
   * Fires when a pattern of the spec is switched off because it takes too long or cannot be used.
   * The text says which one and why, for user and model.
   */
  readonly onDidSwitchOff: Event<string> = this.#switchedOff.event;

  /** Problems found when the files were opened, as texts for the user; empty if there were none. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Position in the output of the next byte that `ingest` expects; remembered across restarts. */
  get resumeOffset(): number {
    return this.#splitter.received;
  }

  /**
   * While there is more output than patterns can be searched for, a promise that resolves when
   * `ingest` should be called again; otherwise undefined.
   */
  get backlog(): Promise<void> | undefined {
    return this.#reader.backlog;
  }

  /**
   * Reads bytes of the output and returns the points of the lines that the bytes complete. The
   * bytes begin at `offset` in the output; bytes that were read before are skipped. `timeMs`
   * (milliseconds since the epoch) is the time of the points. If the spec has patterns, their points
   * are found later: `onDidAdd` reports them, in the same order.
   *
   * Throws `MetricsError`. `gap`: bytes before `offset` are missing, and nothing was read.
   * `no_space`, `io`: the points could not be written. `resumeOffset` still advances; the points
   * stay in memory, and are written and returned with the next points.
   */
  ingest(bytes: Uint8Array, offset: number, timeMs: number): readonly MetricPoint[] {
    const file = this.#openFile();
    const readBytes = this.#splitter.received - offset;
    if (readBytes < 0)
      throw new MetricsError(
        'gap',
        `Bytes ${this.#splitter.received} to ${offset} of the output are missing. Read from byte ${this.#splitter.received}.`,
      );
    if (readBytes >= bytes.length && readBytes > 0) return [];
    this.#splitter.push(bytes.subarray(readBytes), (line, end) =>
      this.#reader.read(line, { end, timeMs }),
    );
    if (!this.#reader.isLate) this.#recordProgress(file, { end: this.#splitter.lineEnd, timeMs });
    return this.#announce(file);
  }

  /**
   * Reads the last line of the output if it has no line break, waits for points that are found
   * later, and closes the file. Rejects for the reasons for which `ingest` throws.
   */
  async finish(timeMs: number): Promise<readonly MetricPoint[]> {
    this.#openFile();
    this.#splitter.end((line, end) => this.#reader.read(line, { end, timeMs }));
    await this.#reader.settled();
    const file = this.#openFile();
    const points = this.#announce(file);
    file.dispose();
    return points;
  }

  /** Returns the names of the shown metrics with points, in order of first appearance. */
  names(): readonly string[] {
    return [...this.#tracks]
      .filter(([, { isShown, series }]) => isShown && series.count > 0)
      .map(([name]) => name);
  }

  summary(name: string): MetricSummary | undefined {
    const track = this.#shown(name);
    if (track === undefined) return undefined;
    const { count, last, lastStep, min, max, mean, firstNonFinite } = track.series.tally;
    const direction = directionOf(name, this.#spec.directions);
    const best = direction === 'none' ? last : direction === 'lower' ? min : max;
    const bounds = { metric: name, count, last, lastStep, min, max, mean, best, direction };
    return firstNonFinite === undefined ? bounds : { ...bounds, firstNonFinite };
  }

  summaries(): readonly MetricSummary[] {
    return this.names().flatMap((name) => this.summary(name) ?? []);
  }

  /**
   * Returns all points of a metric, oldest first; empty columns for an unknown name. The columns
   * are views: read them before the next `ingest`, and do not change them.
   */
  series(name: string): SeriesColumns {
    return (this.#shown(name)?.series ?? new Series()).columns();
  }

  /** Returns the trend of the last `window` values. */
  trend(name: string, window = 20): Trend {
    return trendOf(this.series(name).values, window);
  }

  /**
   * Hides all points so far, also after a restart. The hidden points stay in the file. Later points
   * are shown.
   */
  clear(): void {
    const file = this.#openFile();
    this.#reader.forget();
    this.#forget();
    file.add({ ...noPoint, kind: 'clear', endOffset: this.#splitter.lineEnd });
    this.#recordedOffset = this.#splitter.lineEnd;
    file.flush();
  }

  /** Closes the file. Points can still be read, but `ingest` throws from now on. */
  dispose(): void {
    this.#file?.dispose();
    this.#file = undefined;
    this.#reader.dispose();
    this.#added.dispose();
    this.#switchedOff.dispose();
  }

  #openFile(): PointsFile {
    if (this.#file === undefined) throw new MetricsError('closed', 'These metrics are closed.');
    return this.#file;
  }

  #shown(name: string): Track | undefined {
    const track = this.#tracks.get(name);
    return track?.isShown === true && track.series.count > 0 ? track : undefined;
  }

  /** Adds the points of a line that ends at `end`. */
  #record(found: readonly MetricPoint[], end: number): void {
    const file = this.#openFile();
    const points = this.#isDetecting ? found.filter((each) => this.#hasRoomFor(each)) : found;
    const last = points.at(-1);
    for (const point of points) {
      const { metric, step, timeMs, value } = point;
      const isLastOfLine = point === last;
      file.add({ kind: 'point', metric, step, timeMs, value, endOffset: end, isLastOfLine });
      this.#take(point);
    }
    if (last !== undefined) this.#recordedOffset = end;
  }

  #readLate(last: LinePlace): void {
    const file = this.#openFile();
    this.#recordProgress(file, last);
    try {
      this.#announce(file);
    } catch (error) {
      // The next call of `ingest` or `finish` writes the points, or throws.
      if (!(error instanceof MetricsError)) throw error;
    }
  }

  #hasRoomFor({ metric }: MetricPoint): boolean {
    return this.#tracks.size < maxDetectedNames || this.#tracks.has(metric);
  }

  #recordProgress(file: PointsFile, { end, timeMs }: LinePlace): void {
    if (end - this.#recordedOffset < progressEveryBytes) return;
    file.add({ ...noPoint, kind: 'progress', timeMs, endOffset: end });
    this.#recordedOffset = end;
  }

  #announce(file: PointsFile): readonly MetricPoint[] {
    file.flush();
    const points = this.#unannounced;
    this.#unannounced = [];
    if (points.length > 0) this.#added.fire(points);
    return points;
  }

  #recall(record: NamedRecord): void {
    this.#recordedOffset = record.endOffset;
    if (record.kind === 'clear') this.#forget();
    if (record.kind === 'point') this.#add(record);
  }

  #take(point: MetricPoint): void {
    const wasHidden = this.#tracks.get(point.metric)?.isShown === false;
    const { series, isShown } = this.#add(point);
    if (wasHidden && isShown) this.#unannounced.push(firstOf(point.metric, series));
    if (isShown) this.#unannounced.push(point);
  }

  #add({ metric, step, timeMs, value }: MetricPoint): Track {
    let track = this.#tracks.get(metric);
    if (track === undefined) {
      track = { series: new Series(), isShown: !this.#isDetecting || isKnownMetric(metric) };
      this.#tracks.set(metric, track);
    } else track.isShown ||= track.series.count > 0;
    track.series.add(step, timeMs, value);
    return track;
  }

  #forget(): void {
    for (const track of this.#tracks.values()) track.series = new Series();
    this.#unannounced = [];
  }
}

function firstOf(metric: string, series: Series): MetricPoint {
  const { steps, timesMs, values } = series.columns();
  return { metric, step: steps[0] ?? NaN, timeMs: timesMs[0] ?? NaN, value: values[0] ?? NaN };
}

const noPoint = { metric: '', step: NaN, timeMs: 0, value: NaN, isLastOfLine: true };
