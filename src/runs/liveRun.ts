/** One run as its controller sees it: what is known of its process, its output as it grows, its end. */
import { coalesced } from '../base/coalesced.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Follow, Machine } from '../machines/machine.ts';
import type { MetricPoint } from '../metrics/metric.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import { parseProcess, runFolder, type RunFolder } from './capsule.ts';
import { parseExit, type RunEnd } from './exitRecord.ts';
import { probe, readIfThere, type Presence } from './probe.ts';
import { handleOf, type Liveness, type RunProcess, type RunSpec } from './run.ts';

export interface Run {
  readonly spec: RunSpec;
  readonly process: RunProcess | undefined;
  readonly liveness: Liveness;
  readonly metrics: RunMetrics;
  /** `machine:pid`; `undefined` until the process has started. */
  readonly handle: string | undefined;
  /** Of stdout and stderr, on the machine of the run. */
  readonly outputPath: string;
  /** When output was last read; `undefined` before the first. */
  readonly lastOutputMs: number | undefined;
}

/**
 * - `started`: the process is known; once, before every other change of the run
 * - `output`, `points`: more was read
 * - `unknown`: the machine does not answer; `recovered`: it does again, and the run goes on
 * - `ended`: once, the last change; output and metrics are complete. A run that was adopted after its end ends too
 */
export type RunChange =
  | { readonly kind: 'started'; readonly run: Run; readonly process: RunProcess }
  | { readonly kind: 'output'; readonly run: Run }
  | { readonly kind: 'points'; readonly run: Run; readonly points: readonly MetricPoint[] }
  | { readonly kind: 'unknown'; readonly run: Run; readonly why: string }
  | { readonly kind: 'recovered'; readonly run: Run }
  | ({ readonly kind: 'ended'; readonly run: Run } & RunEnd);

export interface LiveRunParts {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly metrics: RunMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  onChange(change: RunChange): void;
}

/** Files tell of the end at once; this is for the ends that leave no file. */
const checkIntervalMs = 5000;
/** The capsule needs a moment between the end of the command and its record. */
const recordGraceMs = 5000;
/** From the claim of a run to its process. */
const startGraceMs = 30_000;

export class LiveRun implements Run, Disposable {
  readonly spec: RunSpec;
  readonly metrics: RunMetrics;
  /** Resolves when the process is known, the run is over without one, or it was let go of. */
  readonly started: Promise<void>;
  /** Resolves when the run has ended or was let go of. */
  readonly ended: Promise<void>;
  readonly #folder: RunFolder;
  readonly #parts: LiveRunParts;
  readonly #attachedMs: number;
  readonly #owned = new DisposableStore();
  readonly #hasStarted = Promise.withResolvers<void>();
  readonly #hasEnded = Promise.withResolvers<void>();
  /** Reads what the capsule wrote, and follows from it. */
  readonly look = coalesced(() => this.#look());
  #follow: Follow | undefined;
  #nextCheck: Disposable | undefined;
  #process: RunProcess | undefined;
  #liveness: Liveness = { kind: 'starting' };
  #lastOutputMs: number | undefined;
  #goneSinceMs: number | undefined;
  /** Output that was there before we came, and when it was written. */
  #before = { sizeBytes: 0, modifiedMs: 0 };
  /** Output that came before the process file was read: nothing is told of a run before its start. */
  #early: (readonly [bytes: Uint8Array, offset: number])[] = [];
  #isDisposed = false;

  constructor(parts: LiveRunParts) {
    this.#parts = parts;
    this.spec = parts.spec;
    this.metrics = parts.metrics;
    this.started = this.#hasStarted.promise;
    this.ended = this.#hasEnded.promise;
    this.#folder = runFolder(parts.machine.runsFolder, parts.spec.id);
    this.#attachedMs = parts.clock.now();
    this.#owned.add(parts.metrics);
    this.#owned.add(parts.metrics.onDidAdd((points) => parts.onChange({ kind: 'points', run: this, points })));
  }

  get process(): RunProcess | undefined {
    return this.#process;
  }

  get liveness(): Liveness {
    return this.#liveness;
  }

  get handle(): string | undefined {
    return handleOf(this.spec, this.#process);
  }

  get outputPath(): string {
    return this.#folder.output;
  }

  get lastOutputMs(): number | undefined {
    return this.#lastOutputMs;
  }

  /** Begins to follow, from the byte at which metrics were last read. `before` describes output that is there already. */
  attach(before?: { readonly sizeBytes: number; readonly modifiedMs: number }): void {
    if (before) this.#before = before;
    if (before && before.sizeBytes > 0) this.#lastOutputMs = before.modifiedMs;
    this.#follow = this.#parts.machine.follow(this.#folder.output, this.metrics.resumeOffset, {
      onBytes: (bytes, offset) => this.#take(bytes, offset),
      onChange: () => this.#lookSoon(),
      onError: (error) => this.#doubt(error),
    });
    this.#owned.add(this.#follow);
    this.#checkLater();
  }

  /** Looks, and asks the machine whether the process is there. What cannot be told makes the run `unknown`. */
  async check(): Promise<void> {
    try {
      await this.look();
      if (this.#isOver) return;
      if (this.#process) await this.#judge(await probe(this.#parts.machine, this.#process));
      else if (this.#sinceAttachedMs >= startGraceMs) await this.#lose('its command was never started');
      else this.#trust();
    } catch (error) {
      this.#doubt(error);
    }
  }

  /** Lets go of the run; it goes on. */
  dispose(): void {
    this.#isDisposed = true;
    this.#nextCheck?.dispose();
    this.#owned.dispose();
    this.#hasStarted.resolve();
    this.#hasEnded.resolve();
  }

  get #isOver(): boolean {
    return this.#isDisposed || this.#liveness.kind === 'ended';
  }

  get #sinceAttachedMs(): number {
    return this.#parts.clock.now() - this.#attachedMs;
  }

  #checkLater(): void {
    if (this.#isOver) return;
    this.#nextCheck = this.#parts.clock.after(checkIntervalMs, () => {
      void this.check().then(() => this.#checkLater());
    });
  }

  #lookSoon(): void {
    this.look().catch((error: unknown) => this.#doubt(error));
  }

  #take(bytes: Uint8Array, offset: number): void {
    if (this.#process) return this.#read(bytes, offset);
    this.#early.push([bytes, offset]);
    this.#lookSoon();
  }

  #read(bytes: Uint8Array, offset: number): void {
    const isOld = offset < this.#before.sizeBytes;
    this.#lastOutputMs = isOld ? this.#before.modifiedMs : this.#parts.clock.now();
    const timeMs = this.#lastOutputMs;
    this.#measure(() => this.metrics.ingest(bytes, offset, timeMs));
    this.#parts.onChange({ kind: 'output', run: this });
  }

  /** Points that cannot be written (a full disk, say) are kept in memory: no reason to lose sight of the run. */
  #measure(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#parts.logger.warn(`Metrics of run ${this.spec.id}: ${messageOf(error)}`);
    }
  }

  async #look(): Promise<void> {
    if (this.#isOver) return;
    // In this order: where there is an exit record, the process file was written before it.
    const end = parseExit((await this.#file(this.#folder.exit)) ?? '');
    if (this.#process === undefined) this.#start(parseProcess((await this.#file(this.#folder.process)) ?? ''));
    if (end) await this.#end(end);
  }

  #file(path: string): Promise<string | undefined> {
    return readIfThere(this.#parts.machine, path, 4096);
  }

  #start(process: RunProcess | undefined): void {
    if (process === undefined || this.#isOver) return;
    this.#process = process;
    this.#liveness = { kind: 'running' };
    this.#parts.onChange({ kind: 'started', run: this, process });
    for (const [bytes, offset] of this.#early.splice(0)) this.#read(bytes, offset);
    this.#hasStarted.resolve();
  }

  async #judge(presence: Presence): Promise<void> {
    const nowMs = this.#parts.clock.now();
    this.#trust();
    if (presence.kind === 'alive') {
      this.#goneSinceMs = undefined;
      return;
    }
    this.#goneSinceMs ??= nowMs;
    if (presence.isFinal || nowMs - this.#goneSinceMs >= recordGraceMs) await this.#lose(presence.why);
  }

  /** The end without a record. The record has one more chance: it may have come since the last look. */
  async #lose(why: string): Promise<void> {
    await this.look();
    if (this.#isOver) return;
    const wasAsked = (await this.#parts.machine.stat(this.#folder.kill)) !== undefined;
    await this.#end({
      verdict: wasAsked ? { kind: 'killed' } : { kind: 'lost', why },
      endedMs: await this.#lastSeenMs(),
    });
  }

  /** Its last sign of life: what it printed, or the heartbeat of its capsule. */
  async #lastSeenMs(): Promise<number> {
    const heartbeat = await this.#parts.machine.stat(this.#folder.heartbeat);
    return Math.max(heartbeat?.modifiedMs ?? 0, this.#lastOutputMs ?? 0) || this.#parts.clock.now();
  }

  #doubt(error: unknown): void {
    if (this.#isOver || this.#liveness.kind === 'unknown') return;
    const why = messageOf(error);
    this.#liveness = { kind: 'unknown', why };
    this.#parts.onChange({ kind: 'unknown', run: this, why });
  }

  #trust(): void {
    if (this.#isOver || this.#liveness.kind !== 'unknown') return;
    this.#liveness = { kind: this.#process ? 'running' : 'starting' };
    this.#parts.onChange({ kind: 'recovered', run: this });
  }

  /** Final. The output is read to its last byte first, so that the last metrics come before the end. */
  async #end(end: RunEnd): Promise<void> {
    await this.#follow?.drain();
    if (this.#isOver) return;
    this.#measure(() => this.metrics.finish(this.#lastOutputMs ?? this.#parts.clock.now()));
    this.#follow?.dispose();
    this.#nextCheck?.dispose();
    this.#liveness = { kind: 'ended', ...end };
    this.#parts.onChange({ kind: 'ended', run: this, ...end });
    this.#hasStarted.resolve();
    this.#hasEnded.resolve();
  }
}
