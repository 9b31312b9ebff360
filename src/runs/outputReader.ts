/**
 * Reads the output of a run as it grows, and the metrics in the output. If the run names files with
 * metrics, reads metrics from the lines that the machine makes of these files instead.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Follow, FollowSink, Machine } from '../machines/machine.ts';
import type { MetricSpec } from '../metrics/metric.ts';
import { LineTimes, type LineTime } from '../metrics/lineTimes.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import { EarlyOutput } from './earlyOutput.ts';
import type { RunSpec } from './run.ts';
import { runFolder, type RunFolder } from './supervisor.ts';

export interface OutputReaderDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly metrics: RunMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns whether the process of the run is known. Until then, no output is passed on. */
  hasProcess(): boolean;
  /** Returns when the process started, in milliseconds since the epoch. */
  startedMs(): number | undefined;
  /** Called after output was read from the output or from a metrics file. */
  onOutput(): void;
  /** Called when there is output before the process of the run is known. */
  onEarly(): void;
  /** Called when a file in the folder of the run has changed. */
  onChange: FollowSink['onChange'];
  onError: FollowSink['onError'];
}

export interface OutputBefore {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export class OutputReader {
  readonly #deps: OutputReaderDeps;
  readonly #folder: RunFolder;
  readonly #isFromFiles: boolean;
  #output: Follow | undefined;
  #lines: Follow | undefined;
  /** Size and modification time of the output that existed before this process followed the run. */
  #before: OutputBefore = { sizeBytes: 0, modifiedMs: 0 };
  /**
   * Output that was read before the process was known. Stored until the start of the run has been
   * reported, which must precede all changes of the output.
   */
  readonly #early = new EarlyOutput();
  #lastOutputMs: number | undefined;
  #isDisposed = false;
  /** Number of bytes of the output that were read at least once. */
  #readBytes = 0;
  /** Times of the lines that are read again. */
  #times: LineTimes | undefined;

  constructor(deps: OutputReaderDeps) {
    this.#deps = deps;
    this.#folder = runFolder(deps.machine.runsFolder, deps.spec.id);
    this.#isFromFiles = (deps.spec.metrics.from?.length ?? 0) > 0;
  }

  /** When output was last read, in milliseconds since the epoch; `undefined` before any output. */
  get lastOutputMs(): number | undefined {
    return this.#lastOutputMs;
  }

  /** Starts to follow the output. `before`: the output that exists already. */
  attach(before: OutputBefore | undefined): void {
    if (before) this.#before = before;
    if (before && before.sizeBytes > 0) this.#lastOutputMs = before.modifiedMs;
    this.#followOutput();
  }

  /** Passes on the output that was read before the process was known. */
  begin(): void {
    const { pieces, isCut } = this.#early.takeAll();
    for (const [bytes, offset] of pieces) this.#read(bytes, offset);
    if (isCut) this.#followOutput();
    if (this.#isFromFiles && this.#lines === undefined) this.#followLines();
  }

  /**
   * Reads everything again from its start, with another spec of metrics. Lines keep the time at
   * which they were read first. `record` is called before a point is read.
   */
  async restart(metrics: MetricSpec, record: () => Promise<void>): Promise<void> {
    this.#output?.dispose();
    this.#lines?.dispose();
    this.#times = await this.#readTimes();
    if (this.#isDisposed) return;
    this.#deps.metrics.restart(metrics);
    await record();
    if (this.#isDisposed) return;
    this.#followOutput();
    if (this.#isFromFiles) this.#followLines();
  }

  /** Resolves with the times of the lines that were read; the start and the end are known, too. */
  async #readTimes(): Promise<LineTimes> {
    const { metrics, startedMs, spec } = this.#deps;
    const times = new LineTimes();
    times.add(0, startedMs() ?? spec.plannedMs);
    const endMs = this.#lastOutputMs;
    await metrics.readTimes(times).catch((error: unknown) => this.logFailure(error));
    if (endMs !== undefined)
      times.add(metrics.resumeOffset, this.#times?.at(metrics.resumeOffset) ?? endMs);
    return times;
  }

  #timeOf(timeMs: number): LineTime {
    const times = this.#times;
    return times === undefined ? timeMs : (end) => times.at(end) ?? timeMs;
  }

  /** Reads everything up to the end of the files. */
  async drain(): Promise<void> {
    await this.#output?.drain();
    await this.#lines?.drain();
  }

  /** Reads the last line, after the end of the run. Rejects with `MetricsError`. */
  async finish(): Promise<void> {
    const timeMs = this.#lastOutputMs ?? this.#deps.clock.now();
    await this.#deps.metrics.finish(this.#timeOf(timeMs));
  }

  /** Stops following the files. Their metrics can still be read. */
  stop(): void {
    this.#output?.dispose();
    this.#lines?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.stop();
  }

  #followOutput(): void {
    const { machine, metrics, onChange, onError } = this.#deps;
    this.#output?.dispose();
    // If metrics are read from files, earlier output is not read again: only the growth of the
    // output is reported.
    const offset = this.#isFromFiles ? this.#before.sizeBytes : metrics.resumeOffset;
    const onBytes: FollowSink['onBytes'] = (bytes, from) => this.#take(bytes, from);
    this.#output = machine.follow(this.#folder.output, offset, { onBytes, onChange, onError });
  }

  #followLines(): void {
    const { machine, metrics, onError, onOutput } = this.#deps;
    this.#lines?.dispose();
    this.#lines = machine.follow(this.#folder.metrics, metrics.resumeOffset, {
      onBytes: (bytes, offset) => {
        this.#ingest(bytes, offset, (this.#lastOutputMs = this.#deps.clock.now()));
        onOutput();
        return metrics.backlog;
      },
      onChange: () => undefined,
      onError,
    });
  }

  #take(bytes: Uint8Array, offset: number): Promise<void> | undefined {
    if (this.#deps.hasProcess()) {
      this.#read(bytes, offset);
      return this.#deps.metrics.backlog;
    }
    this.#early.add(bytes, offset);
    // The following output is read when the process is known.
    if (this.#early.isCut) this.#output?.dispose();
    this.#deps.onEarly();
    return undefined;
  }

  #read(bytes: Uint8Array, offset: number): void {
    const isOld = offset < this.#before.sizeBytes;
    const timeMs = isOld ? this.#before.modifiedMs : this.#deps.clock.now();
    const isNew = offset + bytes.length > this.#readBytes;
    if (isNew) this.#readBytes = offset + bytes.length;
    if (isNew || this.#lastOutputMs === undefined) this.#lastOutputMs = timeMs;
    if (!this.#isFromFiles) this.#ingest(bytes, offset, timeMs);
    this.#deps.onOutput();
  }

  /**
   * Adds bytes to the metrics. Logs a failure to write points (a full disk, for example): the
   * points stay in memory, and the run is still followed.
   */
  #ingest(bytes: Uint8Array, offset: number, timeMs: number): void {
    try {
      this.#deps.metrics.ingest(bytes, offset, this.#timeOf(timeMs));
    } catch (error) {
      this.logFailure(error);
    }
  }

  logFailure(error: unknown): void {
    const { logger, spec } = this.#deps;
    if (!this.#isDisposed) logger.warn(`Metrics of run ${spec.id}: ${messageOf(error)}`);
  }
}
