/** The runs of this process: launched, found again after a restart, read, ended. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { delay } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { HeliosError, messageOf } from '../base/errors.ts';
import type { RunId, SessionId } from '../base/ids.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { shellQuote } from '../base/text.ts';
import { absentMachine } from '../machines/absentMachine.ts';
import {
  MachineFailure,
  type FileStat,
  type Machine,
  type MachineFailureReason,
  type Machines,
} from '../machines/machine.ts';
import { createLineParser } from '../metrics/lineParser.ts';
import { RunMetrics } from '../metrics/runMetrics.ts';
import { capsuleFiles, parseSignalReport, runFolder, signalCommand, startArgv, type SignalReport } from './capsule.ts';
import { LiveRun, type Run, type RunChange } from './liveRun.ts';
import { readTail, type OutputTail } from './outputTail.ts';
import type { Liveness, RunSpec } from './run.ts';

export interface RunsOptions {
  readonly machines: Machines;
  /** Where points of runs are kept on this computer, absolute: one folder per run id. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger?: Logger;
}

/** - `not_started`: nothing runs, and the message says why · `unconfirmed`: it may have started; `adopt` tells later. */
export type LaunchFailureReason = 'not_started' | 'unconfirmed';

export class LaunchFailure extends HeliosError {
  readonly reason: LaunchFailureReason;

  constructor(reason: LaunchFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface KillOptions {
  /** Without `SIG`. Default `TERM`. `STOP` and `CONT` are delivered and end nothing. */
  readonly signal?: string;
  /** Between the signal and KILL. Default 10 s. */
  readonly graceMs?: number;
}

export interface KillResult extends SignalReport {
  readonly signal: string;
  /** Of the run when the signal was asked for. */
  readonly wasRunning: boolean;
  /** The machine was asked afterwards and no process of the run is left. */
  readonly isVerified: boolean;
  readonly liveness: Liveness;
}

const startTimeoutMs = 30_000;
/** Between attempts to start a run on a machine whose link broke. */
const spawnRetryMs = 500;
const defaultGraceMs = 10_000;
/** For the exit record, once every process of the run is gone. */
const recordTimeoutMs = 5000;
/** Failures that say nothing about a run on the machine. */
const silentReasons: readonly MachineFailureReason[] = [
  'unreachable',
  'timeout',
  'auth',
  'host_key',
  'unknown_machine',
];
const signalsThatEndNothing: readonly string[] = ['STOP', 'CONT'];

export class Runs implements Disposable {
  readonly #options: RunsOptions;
  readonly #runs = new Map<RunId, LiveRun>();
  readonly #attaching = new Map<RunId, Promise<LiveRun>>();
  readonly #launches = new Map<RunId, Promise<Run>>();
  #isDisposed = false;
  readonly #changes = new Emitter<RunChange>();
  readonly onDidChange: Event<RunChange> = this.#changes.event;

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /**
   * Starts a run, once per run id, however often and by however many processes it is asked. Resolves when its process is
   * known. Rejects with `MetricSpecError` before anything is started, and with `LaunchFailure`. `signal` counts until
   * the process is being started.
   */
  launch(spec: RunSpec, signal?: AbortSignal): Promise<Run> {
    const launch = this.#launches.get(spec.id) ?? this.#launch(spec, signal);
    this.#launches.set(spec.id, launch);
    launch.catch(() => this.#launches.delete(spec.id));
    return launch;
  }

  /**
   * The run that an earlier process launched, or `undefined` when it was never started (`launch` then starts it).
   * Output is read on from where it was left. When the run is over already, it has ended before this resolves.
   */
  async adopt(spec: RunSpec): Promise<Run | undefined> {
    const known = this.#runs.get(spec.id);
    if (known) return known;
    const machine = await this.#known(spec.machineId);
    const folder = runFolder(machine.runsFolder, spec.id);
    try {
      if ((await machine.stat(folder.claim)) === undefined) return undefined;
      return await this.#adopt(spec, await machine.stat(folder.output));
    } catch (error) {
      // That a machine does not answer says nothing about the run.
      if (!(error instanceof MachineFailure) || !silentReasons.includes(error.reason)) throw error;
      return this.#adopt(spec, undefined);
    }
  }

  get(id: RunId): Run | undefined {
    return this.#runs.get(id);
  }

  /** Oldest first. */
  all(): readonly Run[] {
    return [...this.#runs.values()].sort((a, b) => a.spec.plannedMs - b.spec.plannedMs);
  }

  /**
   * By run id, `machine:pid`, or number (`7`, `run 7`); the newest where several fit, also when it has ended. Numbers
   * are counted per session: with `sessionId`, only those of that session are meant.
   */
  find(reference: string | number, sessionId?: SessionId): Run | undefined {
    const text = String(reference)
      .trim()
      .replace(/^(run\s*|#)(?=\d)/i, '');
    const isMeant = ({ spec, handle }: Run): boolean =>
      spec.id === text ||
      handle === text ||
      (String(spec.number) === text && (sessionId === undefined || spec.sessionId === sessionId));
    return this.all().findLast(isMeant);
  }

  /** The last lines of the output; also of a run that has ended. */
  output(run: Run, options: { readonly lines: number }): Promise<OutputTail> {
    return readTail(this.#machineOf(run), run.outputPath, options.lines);
  }

  /**
   * Ends every process of the run: the command's group and session, and whatever else carries the run's id in its
   * environment. Resolves when the machine has been asked what is left. Rejects with `MachineFailure`.
   */
  async kill(run: Run, options: KillOptions = {}): Promise<KillResult> {
    const { signal = 'TERM', graceMs = defaultGraceMs } = options;
    const wasRunning = run.liveness.kind !== 'ended';
    const isEnding = !signalsThatEndNothing.includes(signal);
    const report = await this.#signal(run, signal, isEnding ? graceMs : undefined);
    const isVerified = isEnding && report.left.length === 0;
    if (isVerified) await this.#recorded(run);
    return { ...report, signal, wasRunning, isVerified, liveness: run.liveness };
  }

  /** Lets go of every run. None is ended by it. */
  dispose(): void {
    this.#isDisposed = true;
    this.#changes.dispose();
    for (const run of this.#runs.values()) run.dispose();
    this.#runs.clear();
  }

  #machineOf(run: Run): Machine {
    return this.#machine(run.spec.machineId);
  }

  /** A run outlives the entry of its machine in the list: its metrics are here, its end is then not known. */
  #machine(id: string): Machine {
    try {
      return this.#options.machines.get(id);
    } catch (error) {
      if (error instanceof MachineFailure && error.reason === 'unknown_machine') return absentMachine(id);
      throw error;
    }
  }

  /** The same where its folders are not known: nothing can be looked for there. */
  async #known(id: string): Promise<Machine> {
    const machine = this.#machine(id);
    try {
      await machine.ready?.();
      return machine;
    } catch (error) {
      if (error instanceof MachineFailure && silentReasons.includes(error.reason))
        return absentMachine(id, error.message);
      throw error;
    }
  }

  async #launch(spec: RunSpec, signal: AbortSignal | undefined): Promise<Run> {
    createLineParser(spec.metrics);
    const run = await this.#prepare(spec);
    try {
      signal?.throwIfAborted();
      await this.#start(run);
      return run;
    } catch (error) {
      this.#forget(run);
      throw error;
    }
  }

  async #prepare(spec: RunSpec): Promise<LiveRun> {
    try {
      const machine = this.#options.machines.get(spec.machineId);
      await machine.ready?.();
      const folder = runFolder(machine.runsFolder, spec.id);
      // The folder is for its owner only: it holds the environment of the run.
      await this.#exec(machine, `umask 077 && mkdir -p -- ${shellQuote(folder.path)}`);
      await Promise.all(
        Object.entries(capsuleFiles(spec)).map(([name, text]) =>
          machine.writeFile(`${folder.path}/${name}`, Buffer.from(text)),
        ),
      );
      return await this.#attach(spec, undefined);
    } catch (error) {
      throw notStarted(spec, messageOf(error), error);
    }
  }

  async #start(run: LiveRun): Promise<void> {
    const { spec } = run;
    await this.#spawn(spec);
    // A look that fails is repeated by the run itself.
    await this.#within(startTimeoutMs, Promise.all([run.look().catch(() => undefined), run.started]));
    if (run.process) return;
    const { text } = await this.output(run, { lines: 20 }).catch(() => ({ text: '' }));
    if (run.liveness.kind === 'ended') throw notStarted(spec, text || 'the capsule could not start the command');
    throw unconfirmed(spec, `did not confirm its start in ${startTimeoutMs} ms. ${text}`);
  }

  /** The capsule starts a run once, so a link that breaks meanwhile is waited for and the start asked for again. */
  async #spawn(spec: RunSpec): Promise<void> {
    const machine = this.#machine(spec.machineId);
    const argv = startArgv(runFolder(machine.runsFolder, spec.id));
    const { clock } = this.#options;
    const endMs = clock.now() + startTimeoutMs;
    for (;;) {
      try {
        return await machine.spawnDetached(argv, { cwd: spec.cwd, env: { PYTHONUNBUFFERED: '1', ...spec.env } });
      } catch (error) {
        const mayRun = error instanceof MachineFailure && ['unreachable', 'timeout'].includes(error.reason);
        if (!mayRun) throw notStarted(spec, messageOf(error), error);
        if (clock.now() >= endMs) throw unconfirmed(spec, `may have been started: ${messageOf(error)}`, error);
        await delay(clock, spawnRetryMs);
      }
    }
  }

  async #adopt(spec: RunSpec, output: FileStat | undefined): Promise<Run> {
    const run = await this.#attach(spec, output);
    await run.check();
    return run;
  }

  #attach(spec: RunSpec, output: FileStat | undefined): Promise<LiveRun> {
    const attaching = this.#attaching.get(spec.id) ?? this.#follow(spec, output);
    this.#attaching.set(spec.id, attaching);
    attaching.catch(() => this.#attaching.delete(spec.id));
    return attaching;
  }

  #forget(run: LiveRun): void {
    this.#attaching.delete(run.spec.id);
    this.#runs.delete(run.spec.id);
    run.dispose();
  }

  async #follow(spec: RunSpec, output: FileStat | undefined): Promise<LiveRun> {
    const { clock, folder, logger = silentLogger } = this.#options;
    const machine = await this.#known(spec.machineId);
    const metrics = await RunMetrics.open(join(folder, spec.id), spec.metrics);
    const run = new LiveRun({ spec, machine, metrics, clock, logger, onChange: (change) => this.#tell(change) });
    if (this.#isDisposed) {
      run.dispose();
      return run;
    }
    this.#runs.set(spec.id, run);
    run.attach(output);
    return run;
  }

  /** A run that never started is the failure of its launch, not an end. */
  #tell(change: RunChange): void {
    const isLaunch = this.#launches.has(change.run.spec.id);
    if (change.kind === 'ended' && isLaunch && change.run.process === undefined) return;
    this.#changes.fire(change);
  }

  async #signal(run: Run, signal: string, graceMs: number | undefined): Promise<SignalReport> {
    const machine = this.#machineOf(run);
    const folder = runFolder(machine.runsFolder, run.spec.id);
    return parseSignalReport(await this.#exec(machine, signalCommand(folder, signal, graceMs), graceMs));
  }

  async #exec(machine: Machine, command: string, extraMs = 0): Promise<string> {
    const { outcome, stdout, stderr } = await machine.exec(command, { cwd: '/', timeoutMs: 30_000 + extraMs });
    if (outcome.kind === 'exited' && outcome.code === 0) return stdout;
    throw new MachineFailure(
      'io',
      `Machine ${machine.id} could not do what was asked: ${stderr.trim() || outcome.kind}`,
    );
  }

  async #recorded(run: Run): Promise<void> {
    const live = this.#runs.get(run.spec.id);
    if (live) await this.#within(recordTimeoutMs, live.ended);
  }

  async #within(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const timeout = delay(this.#options.clock, timeoutMs, over.signal).catch(() => undefined);
    await Promise.race([promise, timeout]).finally(() => over.abort());
  }
}

const notStarted = (spec: RunSpec, why: string, cause?: unknown): LaunchFailure =>
  new LaunchFailure('not_started', `Run ${spec.number} was not started: ${why}`, { cause });

const unconfirmed = (spec: RunSpec, what: string, cause?: unknown): LaunchFailure =>
  new LaunchFailure('unconfirmed', `Run ${spec.number} ${what}`, { cause });
