/** A run that this process follows: the state of its process, its growing output, and its end. */
import { coalesced } from '../base/coalesced.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Machine } from '../machines/machine.ts';
import type { MetricPoint, MetricSpec } from '../metrics/metric.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import { parseProcess, runFolder, type RunFolder } from './supervisor.ts';
import { parseExit, verdictWithoutRecord } from './exitRecord.ts';
import { hostOf } from './hostOf.ts';
import { limitClock } from './limitClock.ts';
import { OutputReader, type OutputBefore } from './outputReader.ts';
import type { Presence } from './presence.ts';
import { readIfThere } from './probe.ts';
import { handleOf, type Liveness, type RunEnd, type RunProcess, type RunSpec } from './run.ts';
import type { RunHost } from './runHost.ts';

export interface Run {
  readonly spec: RunSpec;
  readonly process: RunProcess | undefined;
  readonly liveness: Liveness;
  readonly metrics: RunMetrics;
  /** `machine:pid` or `machine:job`; `undefined` until there is a process or a job. */
  readonly handle: string | undefined;
  /** File with stdout and stderr, on the machine of the run. */
  readonly outputPath: string;
  /** When output was last read, in milliseconds since the epoch; `undefined` before any output. */
  readonly lastOutputMs: number | undefined;
  /**
   * When the machine last answered a check of the run or sent output, in milliseconds since the
   * epoch; `undefined` before the first answer.
   */
  readonly lastAnswerMs: number | undefined;
}

/**
 * - `queued`: the run waits in the queue of a scheduler, and the reason is new; also fires after a
 *   start, when the scheduler requeues the run
 * - `started`: the process is known. Fires before any `output` and `points`, and again when a
 *   requeued run starts again
 * - `output`, `points`: new output or new metrics were read
 * - `pattern_off`: a metric pattern is no longer used, because it takes too long; `why` says which
 * - `points_ended`: later points are not stored on disk; fires at most once
 * - `unknown`: the machine does not answer
 * - `recovered`: the machine answers again, and the run is active
 * - `ended`: fires once, as the last change, with complete output and metrics; also for a run that
 *   was adopted after its end
 */
export type RunChange =
  | { readonly kind: 'queued'; readonly run: Run; readonly jobId: string; readonly why: string }
  | { readonly kind: 'started'; readonly run: Run; readonly process: RunProcess }
  | { readonly kind: 'output'; readonly run: Run }
  | { readonly kind: 'points'; readonly run: Run; readonly points: readonly MetricPoint[] }
  | { readonly kind: 'pattern_off'; readonly run: Run; readonly why: string }
  | { readonly kind: 'points_ended'; readonly run: Run }
  | { readonly kind: 'unknown'; readonly run: Run; readonly why: string }
  | { readonly kind: 'recovered'; readonly run: Run }
  | ({ readonly kind: 'ended'; readonly run: Run } & RunEnd);

export interface LiveRunDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly metrics: RunMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  onChange(change: RunChange): void;
}

export class LiveRun implements Run, Disposable {
  spec: RunSpec;
  readonly metrics: RunMetrics;
  /**
   * Resolves when the process is known, the run has ended without a process, or this process
   * stopped following the run.
   */
  readonly started: Promise<void>;
  /** Resolves when the run has ended or this process stopped following the run. */
  readonly ended: Promise<void>;
  /** Reports the state of the run, and sends signals to its processes. */
  readonly host: RunHost;
  readonly #folder: RunFolder;
  readonly #deps: LiveRunDeps;
  readonly #owned = new DisposableStore();
  readonly #hasStarted = Promise.withResolvers<void>();
  readonly #hasEnded = Promise.withResolvers<void>();
  /** Reads the files of the supervisor, and updates the state. */
  readonly refresh = coalesced(() => this.#refresh());
  readonly #output: OutputReader;
  #nextCheck: Disposable | undefined;
  #process: RunProcess | undefined;
  #liveness: Liveness = { kind: 'starting' };
  #lastAnswerMs: number | undefined;
  #goneSinceMs: number | undefined;
  /**
   * The process that the run had before the scheduler requeued it. The files of that process may
   * still exist.
   */
  #former: RunProcess | undefined;
  #isDisposed = false;

  constructor(deps: LiveRunDeps) {
    this.#deps = deps;
    this.spec = deps.spec;
    this.metrics = deps.metrics;
    this.started = this.#hasStarted.promise;
    this.ended = this.#hasEnded.promise;
    this.host = hostOf(deps);
    this.#folder = runFolder(deps.machine.runsFolder, deps.spec.id);
    this.#output = new OutputReader({
      ...deps,
      hasProcess: () => this.#process !== undefined,
      startedMs: () => this.#process?.startedMs,
      onOutput: () => this.#answered({ kind: 'output', run: this }),
      onEarly: () => this.#refreshSoon(),
      onChange: (name) => this.#hear(name),
      onError: (error) => this.#doubt(error),
    });
    this.#owned.add(deps.metrics);
    this.#owned.add(limitClock(deps, () => this.#isOver));
    this.#owned.add(
      deps.metrics.onDidAdd((points) => deps.onChange({ kind: 'points', run: this, points })),
    );
    this.#owned.add(
      deps.metrics.onDidSwitchOff((why) => deps.onChange({ kind: 'pattern_off', run: this, why })),
    );
    this.#owned.add(
      deps.metrics.onDidEnd(() => deps.onChange({ kind: 'points_ended', run: this })),
    );
  }

  get process(): RunProcess | undefined {
    return this.#process;
  }

  get liveness(): Liveness {
    return this.#liveness;
  }

  get handle(): string | undefined {
    return handleOf(this.spec, this.#process, this.host.jobId);
  }

  get outputPath(): string {
    return this.#folder.output;
  }

  get lastOutputMs(): number | undefined {
    return this.#output.lastOutputMs;
  }

  get lastAnswerMs(): number | undefined {
    return this.#lastAnswerMs;
  }

  /**
   * Starts to follow the output from the byte up to which metrics were read. `before`: size and
   * time of the output file before this process followed the run.
   */
  attach(before?: OutputBefore): void {
    this.#output.attach(before);
    this.#checkLater();
  }

  /**
   * Refreshes the run, and checks on the machine whether the process exists. A failure makes the
   * run `unknown`.
   */
  async check(): Promise<void> {
    try {
      await this.refresh();
      if (this.#isOver) return;
      await this.#judge(await this.host.presence(this.#process));
    } catch (error) {
      this.#doubt(error);
    }
  }

  /**
   * Reads the output again from its start with another spec of metrics. `record` writes the spec to
   * the journal before a point is read, so that a restart of Helios continues with it. Resolves
   * when the output of an ended run is read; the output of an active run is read as it arrives.
   */
  async reread(metrics: MetricSpec, record: () => Promise<void>): Promise<void> {
    await this.#output.restart(metrics, async () => {
      await record();
      this.spec = { ...this.spec, metrics };
    });
    if (this.#isDisposed || this.#liveness.kind !== 'ended') return;
    await this.#output.drain();
    await this.#output.finish();
    this.#output.stop();
  }

  /** Stops following the run without ending it. */
  dispose(): void {
    this.#isDisposed = true;
    this.#nextCheck?.dispose();
    this.#output.dispose();
    this.#owned.dispose();
    this.#hasStarted.resolve();
    this.#hasEnded.resolve();
  }

  get #isOver(): boolean {
    return this.#isDisposed || this.#liveness.kind === 'ended';
  }

  #checkLater(): void {
    if (this.#isOver) return;
    this.#nextCheck = this.#deps.clock.after(this.host.checkIntervalMs, () => {
      void this.check().then(() => this.#checkLater());
    });
  }

  /**
   * Refreshes the run when one of its files has changed. Ignores files that change all the time.
   */
  #hear(changed: string | undefined): void {
    const { path, heartbeat, hosts } = this.#folder;
    if (![heartbeat, hosts].includes(`${path}/${changed}`)) this.#refreshSoon();
  }

  #refreshSoon(): void {
    this.refresh().catch((error: unknown) => this.#doubt(error));
  }

  async #refresh(): Promise<void> {
    if (this.#isOver) return;
    // Keep this order: the process file is written before the exit record.
    const record = await this.#record();
    await this.#begin();
    const end = record && (await this.host.settled(record, () => this.#record()));
    if (end === undefined) return;
    // The run may have restarted and ended while `settled` was waiting.
    await this.#begin();
    await this.#end(end);
  }

  async #record(): Promise<RunEnd | undefined> {
    return parseExit((await this.#file(this.#folder.exit)) ?? '');
  }

  #file(path: string): Promise<string | undefined> {
    return readIfThere(this.#deps.machine, path, 4096);
  }

  async #begin(): Promise<void> {
    if (this.#process) return;
    const process = parseProcess((await this.#file(this.#folder.process)) ?? '');
    if (process && !isSame(process, this.#former)) this.#start(await this.host.identified(process));
  }

  #start(process: RunProcess): void {
    if (this.#isOver) return;
    this.#process = process;
    this.#liveness = { kind: 'running' };
    this.#deps.onChange({ kind: 'started', run: this, process });
    this.#output.begin();
    this.#hasStarted.resolve();
  }

  #answered(change: RunChange): void {
    this.#lastAnswerMs = this.#deps.clock.now();
    this.#deps.onChange(change);
  }

  async #judge(presence: Presence): Promise<void> {
    const nowMs = this.#deps.clock.now();
    this.#lastAnswerMs = nowMs;
    if (presence.kind === 'queued') return this.#wait(presence);
    this.#trust(presence);
    if (presence.kind !== 'gone') {
      this.#goneSinceMs = undefined;
      return;
    }
    this.#goneSinceMs ??= nowMs;
    if (presence.isFinal || nowMs - this.#goneSinceMs >= this.host.recordGraceMs)
      await this.#lose(presence);
  }

  /** Marks the run as queued. Its output stays, because a requeued run appends to the same file. */
  #wait(presence: Extract<Presence, { kind: 'queued' }>): void {
    if (this.#isOver) return;
    this.#goneSinceMs = undefined;
    this.#former = this.#process ?? this.#former;
    this.#process = undefined;
    const before = this.#liveness;
    this.#liveness = presence;
    if (before.kind !== 'queued' || before.why !== presence.why)
      this.#deps.onChange({ ...presence, run: this });
  }

  /** Ends the run without a record, unless the record has appeared since the last check. */
  async #lose({ why, end }: Extract<Presence, { kind: 'gone' }>): Promise<void> {
    await this.refresh();
    if (this.#isOver) return;
    const otherwise = end?.verdict ?? { kind: 'lost', why };
    await this.#end({
      verdict: await verdictWithoutRecord(this.#deps.machine, this.#folder, otherwise),
      endedMs: end?.endedMs ?? (await this.#lastSeenMs()),
    });
  }

  /** Returns the time of the last output or of the last heartbeat. */
  async #lastSeenMs(): Promise<number> {
    const heartbeat = await this.#deps.machine.stat(this.#folder.heartbeat);
    return (
      Math.max(heartbeat?.modifiedMs ?? 0, this.#output.lastOutputMs ?? 0) || this.#deps.clock.now()
    );
  }

  #doubt(error: unknown): void {
    if (this.#isOver || this.#liveness.kind === 'unknown') return;
    const why = messageOf(error);
    this.#liveness = { kind: 'unknown', why };
    this.#deps.onChange({ kind: 'unknown', run: this, why });
  }

  #trust({ kind }: Presence): void {
    if (this.#isOver) return;
    const { kind: before } = this.#liveness;
    // Only two presences change the state: any presence of a run that was `unknown`, and `starting`
    // of a run that was queued.
    if (before !== 'unknown' && !(before === 'queued' && kind === 'starting')) return;
    this.#liveness = { kind: this.#process ? 'running' : 'starting' };
    if (before === 'unknown') this.#deps.onChange({ kind: 'recovered', run: this });
  }

  /**
   * Marks the run as ended, which is final. Reads the remaining output first, so that all metrics
   * are reported before the end.
   */
  async #end(end: RunEnd): Promise<void> {
    await this.#output.drain();
    if (this.#isOver) return;
    await this.#output.finish().catch((error: unknown) => this.#output.logFailure(error));
    if (this.#isOver) return;
    this.#output.stop();
    this.#nextCheck?.dispose();
    this.#liveness = { kind: 'ended', ...end };
    this.#deps.onChange({ kind: 'ended', run: this, ...end });
    this.#hasStarted.resolve();
    this.#hasEnded.resolve();
  }
}

const isSame = (one: RunProcess, other: RunProcess | undefined): boolean =>
  other !== undefined &&
  one.pid === other.pid &&
  one.startTime === other.startTime &&
  one.bootId === other.bootId;
