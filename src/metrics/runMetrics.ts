import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { systemWrite } from './disk/appendOnly.ts';
import { createLineReader } from './createLineReader.ts';
import { directionOf } from './direction.ts';
import { placeAt, type LineTime, type LineTimes } from './lineTimes.ts';
import { readLines, type LinePlace, type LineReader, type LineSink } from './lines/lineReader.ts';
import { LineSplitter } from './lines/lineSplitter.ts';
import type { MetricPoint, MetricSpec, MetricSummary, SeriesColumns, Trend } from './metric.ts';
import { MetricsError } from './metricsError.ts';
import type { MetricsOptions } from './metricsOptions.ts';
import { firstOf, summaryOf } from './metricSummary.ts';
import { MetricTracks } from './metricTracks.ts';
import { PointsFile, type PointsFileEnd } from './disk/pointsFile.ts';
import { noPoint, progressEveryBytes, type PointRecord } from './disk/pointRecord.ts';
import { replay, type ReplaySink } from './replay.ts';
import { SampledSeries } from './series/sampledSeries.ts';
import { Series } from './series/series.ts';
import { totalsEveryBytes, type RunTotals } from './disk/totalsFile.ts';
import { trendOf } from './series/trend.ts';
import { valueIn, valueOnDisk, type Place } from './series/valueAt.ts';

/**
 * The metrics of one run. Reads points from the run's output as the output arrives, and stores them
 * in append-only files in `folder`. After a restart, continues after the last output whose points
 * are in these files. A crash at any time neither loses nor doubles a point.
 *
 * Memory is bounded: it holds all points of a metric up to a limit, then a sample of them. Summaries
 * and trends always cover all points.
 */
export class RunMetrics implements Disposable {
  readonly #options: MetricsOptions;
  readonly #sink: LineSink = {
    onPoints: (points, end) => this.#record(points, end),
    onReadLate: (last) => this.#readLate(last),
    onHeader: (header) => this.#openFile().keepHeader(header),
    onSwitchedOff: (why) => this.#switchedOff.fire(why),
  };
  #spec: MetricSpec;
  #reader: LineReader;
  #tracks: MetricTracks;
  readonly #added = new Emitter<readonly MetricPoint[]>();
  readonly #switchedOff = new Emitter<string>();
  readonly #ended = new Emitter<PointsFileEnd>();
  #splitter = new LineSplitter(0);
  #file: PointsFile | undefined;
  /** The file of these metrics, also after it was closed. */
  #records: PointsFile | undefined;
  #problems: readonly string[] = [];
  #recordedOffset = 0;
  /** Position in the file after the last record that hides the earlier points. */
  #firstRecord = 0;
  #end: PointsFileEnd | undefined;
  /** Position in the output up to which the totals of a full points file are stored. */
  #totalsOffset = 0;
  /** Position in the output after the last line of a reader that reads lines later. */
  #lateEnd = 0;
  #unannounced: MetricPoint[] = [];

  private constructor(spec: MetricSpec, options: MetricsOptions) {
    this.#options = options;
    this.#spec = spec;
    this.#reader = createLineReader(spec, this.#sink, options.search);
    this.#tracks = new MetricTracks(spec, options.limits?.pointsPerSeries);
  }

  /**
   * Opens the metrics in `folder` and reads the recorded points, if any. Rejects with
   * `MetricSpecError`, before accessing the disk, or with `MetricsError` (`no_space`, `io`).
   */
  static async open(
    folder: string,
    spec: MetricSpec,
    options: MetricsOptions = {},
  ): Promise<RunMetrics> {
    const { write = systemWrite, limits } = options;
    const metrics = new RunMetrics(spec, options);
    const { file, problems } = await PointsFile.open(
      { folder, write, limits },
      (record, metric, position) => metrics.#recall(record, metric, position),
    );
    metrics.#file = metrics.#records = file;
    metrics.#reader.resume(file.header);
    metrics.#end = file.end;
    if (file.end === 'full') metrics.#restore(await file.readTotals());
    metrics.#problems = problems;
    metrics.#splitter = new LineSplitter(metrics.#recordedOffset);
    metrics.#totalsOffset = metrics.#recordedOffset;
    metrics.#lateEnd = metrics.#recordedOffset;
    return metrics;
  }

  /** Fires with new points, in the order of the output, after the points are on disk. */
  readonly onDidAdd: Event<readonly MetricPoint[]> = this.#added.event;
  /**
   * Fires when a pattern of the spec is switched off because it takes too long or cannot be used.
   * The text says which one and why, for user and model.
   */
  readonly onDidSwitchOff: Event<string> = this.#switchedOff.event;

  /**
   * Fires once when no more points are stored on disk. Summaries and trends still cover all points.
   */
  readonly onDidEnd: Event<PointsFileEnd> = this.#ended.event;

  /** Why no more points are stored on disk; `undefined` while points are stored. */
  get end(): PointsFileEnd | undefined {
    return this.#end;
  }

  /** Problems found when the files were opened, as texts for the user. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Position in the output of the next byte that `ingest` expects; remembered across restarts. */
  get resumeOffset(): number {
    return this.#splitter.received;
  }

  /** Number of lines of output that this process has read. */
  get lines(): number {
    return this.#splitter.lines;
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
   * bytes begin at `offset` in the output; bytes that were read before are skipped. `time`
   * (milliseconds since the epoch) is the time of the points. If the spec has patterns, their points
   * are found later: `onDidAdd` reports them, in the same order.
   *
   * Throws `MetricsError`. `gap`: bytes before `offset` are missing, and nothing was read.
   * `no_space`, `io`: the points could not be written. `resumeOffset` still advances; the points
   * stay in memory, and are written and returned with the next points.
   */
  ingest(bytes: Uint8Array, offset: number, time: LineTime): readonly MetricPoint[] {
    const file = this.#openFile();
    const readBytes = this.#splitter.received - offset;
    if (readBytes < 0)
      throw new MetricsError(
        'gap',
        `Bytes ${this.#splitter.received} to ${offset} of the output are missing. Read from byte ${this.#splitter.received}.`,
      );
    if (readBytes >= bytes.length && readBytes > 0) return [];
    const placeOf = (end: number): LinePlace => placeAt(end, time);
    readLines(this.#reader, this.#splitter, bytes.subarray(readBytes), placeOf);
    if (!this.#reader.isLate) this.#recordProgress(file, placeAt(this.#splitter.lineEnd, time));
    return this.#announce(file);
  }

  /**
   * Reads the last line of the output if it has no line break, waits for points that are found
   * later, and closes the file. Rejects for the reasons for which `ingest` throws.
   */
  async finish(time: LineTime): Promise<readonly MetricPoint[]> {
    this.#openFile();
    this.#splitter.end((line, end) => this.#reader.read(line, placeAt(end, time)));
    await this.#reader.settled();
    const file = this.#openFile();
    const points = this.#announce(file);
    this.#saveTotals(file);
    file.dispose();
    return points;
  }

  /** Number of points in memory, of all metrics, for which memory is reserved. */
  get capacity(): number {
    return this.#tracks.capacity;
  }

  /** Returns the names of the shown metrics with points, in order of first appearance. */
  names(): readonly string[] {
    return this.#tracks.names();
  }

  summary(name: string): MetricSummary | undefined {
    const series = this.#tracks.shown(name);
    return series && summaryOf(name, series, directionOf(name, this.#spec.directions));
  }

  /** Returns the statistics of all shown metrics: the same list until a point is added. */
  summaries(): readonly MetricSummary[] {
    return this.#tracks.summaries(this.#spec.directions);
  }

  /**
   * Returns the points of a metric in memory: all points, or a sample of a very long series (see
   * `SeriesColumns`). Empty columns for an unknown name. The columns are views: read them before
   * the next `ingest`, and do not change them.
   */
  series(name: string): SeriesColumns {
    return (this.#tracks.shown(name) ?? new Series()).columns();
  }

  /** Whether memory holds all points of every metric. */
  get isWhole(): boolean {
    return this.#tracks.isWhole;
  }

  /** Returns a metric of which memory holds only a sample; `undefined` for any other metric. */
  sampled(name: string): SampledSeries | undefined {
    const series = this.#tracks.shown(name);
    const file = this.#records;
    if (series === undefined || series.isWhole || file === undefined) return undefined;
    return new SampledSeries(series, () => ({ ...file.stored, name: file.indexOf(name) }));
  }

  /** Yields all points of a metric in parts, oldest first. Reads the disk if necessary. */
  async *points(name: string): AsyncGenerator<SeriesColumns, void, void> {
    const sampled = this.sampled(name);
    if (sampled === undefined) yield this.series(name);
    else yield* sampled.read();
  }

  /** Whether every point of a metric has a step, and the steps never decrease. */
  hasAscendingSteps(name: string): boolean {
    return this.#tracks.shown(name)?.steps.isAscending ?? false;
  }

  /** Reads the value at a step or index of a metric; `undefined` if there is no such point. */
  async valueAt(name: string, place: Place): Promise<number | undefined> {
    const sampled = this.sampled(name);
    return sampled === undefined ? valueIn(this.series(name), place) : valueOnDisk(sampled, place);
  }

  /**
   * Reads the shown points from the disk, in the order of the output, up to the point after which
   * `onDidAdd` continues.
   */
  async replay(sink: ReplaySink): Promise<void> {
    const file = this.#records;
    if (file === undefined) sink.onEnd();
    else await replay({ file, tracks: this.#tracks, from: this.#firstRecord }, sink);
  }

  /** Returns the trend of the last `window` values. */
  trend(name: string, window = 20): Trend {
    const series = this.#tracks.shown(name) ?? new Series();
    const recent = series.recent(Math.max(0, series.count - Math.max(window, 3)));
    return trendOf((recent ?? series.columns()).values, window);
  }

  /**
   * Hides all points so far, also after a restart. The hidden points stay in the file. Later points
   * are shown.
   */
  clear(): void {
    this.#openFile();
    this.#reader.forget();
    this.#hidePoints(this.#splitter.lineEnd);
  }

  /**
   * Hides all points so far, and expects the output from its first byte, to be read with another
   * spec; also after `finish`. Throws `MetricSpecError`, and `MetricsError` if no more points can
   * be stored.
   */
  restart(spec: MetricSpec): void {
    if (this.#records === undefined || this.#end !== undefined)
      throw new MetricsError('closed', 'The file of its points is full or cannot be written.');
    const reader = createLineReader(spec, this.#sink, this.#options.search);
    this.#reader.dispose();
    this.#reader = reader;
    this.#spec = spec;
    this.#tracks = new MetricTracks(spec, this.#options.limits?.pointsPerSeries);
    this.#file = this.#records;
    this.#splitter = new LineSplitter(0);
    this.#hidePoints(0);
  }

  /** Adds the times of the shown points on disk to `times`. Rejects with an error of the system. */
  readTimes(times: LineTimes): Promise<void> {
    return times.read(this.#records?.stored, this.#firstRecord);
  }

  /** Closes the file. Points can still be read, but `ingest` throws from now on. */
  dispose(): void {
    if (this.#file !== undefined) this.#saveTotals(this.#file);
    this.#file?.dispose();
    this.#file = undefined;
    this.#reader.dispose();
    this.#added.dispose();
    this.#switchedOff.dispose();
    this.#ended.dispose();
  }

  /** Hides all points so far. `end`: position in the output after which points are shown. */
  #hidePoints(end: number): void {
    const file = this.#openFile();
    this.#tracks.forget();
    this.#unannounced = [];
    file.add('clear', noPoint, end);
    this.#firstRecord = file.records;
    this.#recordedOffset = end;
    this.#lateEnd = end;
    file.flush();
  }

  #openFile(): PointsFile {
    if (this.#file === undefined) throw new MetricsError('closed', 'These metrics are closed.');
    return this.#file;
  }

  /** Adds the points of a line that ends at `end`. */
  #record(found: readonly MetricPoint[], end: number): void {
    const file = this.#openFile();
    const points = this.#tracks.admitted(found);
    if (points.length === 0) return;
    const last = points.at(-1);
    const isStored = file.takes(points.length);
    for (const point of points)
      this.#take(point, isStored ? file.add('point', point, end, point === last) : undefined);
    this.#recordedOffset = end;
  }

  #readLate(last: LinePlace): void {
    const file = this.#openFile();
    this.#lateEnd = last.end;
    this.#recordProgress(file, last);
    try {
      this.#announce(file);
    } catch (error) {
      // The next call of `ingest` or `finish` writes the points again, or throws.
      if (!(error instanceof MetricsError)) throw error;
    }
  }

  /** Position in the output up to which all lines are read. */
  get #readEnd(): number {
    return this.#reader.isLate ? this.#lateEnd : this.#splitter.lineEnd;
  }

  #recordProgress(file: PointsFile, { end, timeMs }: LinePlace): void {
    if (end - this.#recordedOffset < progressEveryBytes) return;
    if (file.takes(1)) file.add('progress', { ...noPoint, timeMs }, end);
    this.#recordedOffset = end;
  }

  #announce(file: PointsFile): readonly MetricPoint[] {
    file.flush();
    const points = this.#unannounced;
    this.#unannounced = [];
    if (points.length > 0) this.#added.fire(points);
    this.#noticeEnd(file);
    if (this.#readEnd - this.#totalsOffset >= totalsEveryBytes) this.#saveTotals(file);
    return points;
  }

  #noticeEnd({ end }: PointsFile): void {
    if (end === undefined || this.#end !== undefined) return;
    this.#end = end;
    this.#ended.fire(end);
  }

  /** Stores the totals of a full points file, if there is output after the stored totals. */
  #saveTotals(file: PointsFile): void {
    const endOffset = this.#readEnd;
    if (file.end !== 'full' || endOffset <= this.#totalsOffset) return;
    this.#totalsOffset = endOffset;
    file.writeTotals({ endOffset, series: this.#tracks.totals() });
  }

  #restore(totals: RunTotals | undefined): void {
    if (totals === undefined || totals.endOffset <= this.#recordedOffset) return;
    this.#tracks.restore(totals.series);
    this.#recordedOffset = totals.endOffset;
  }

  #recall(record: PointRecord, metric: string, position: number): void {
    this.#recordedOffset = record.endOffset;
    if (record.kind === 'clear') {
      this.#tracks.forget();
      this.#firstRecord = position + 1;
    }
    if (record.kind === 'point') this.#tracks.add(metric, record, position);
  }

  #take(point: MetricPoint, record: number | undefined): void {
    const wasHidden = this.#tracks.get(point.metric)?.isShown === false;
    const { series, isShown } = this.#tracks.add(point.metric, point, record);
    if (wasHidden && isShown) this.#unannounced.push(firstOf(point.metric, series));
    if (isShown) this.#unannounced.push(point);
  }
}
