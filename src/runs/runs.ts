/** The runs of this process: launched, found again after a restart, read, ended. */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { delay } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import { messageOf } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
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
import { capsuleFiles, runFolder, type SignalReport } from './capsule.ts';
import { hostOf } from './hostOf.ts';
import { notStarted, unconfirmed, type LaunchFailure } from './launchFailure.ts';
import { LiveRun, type Run, type RunChange } from './liveRun.ts';
import { readTail, type OutputTail } from './outputTail.ts';
import type { RunSpec } from './run.ts';
import type { RunHost } from './runHost.ts';
import { startProcess, startTimeoutMs, submitJobs } from './starting.ts';

export interface RunsOptions {
  readonly machines: Machines;
  /** Where points of runs are kept on this computer, absolute: one folder per run id. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger?: Logger;
}

export interface LaunchTogetherOptions {
  /** For a scheduler only. Absent: as many at a time as it lets. */
  readonly maxParallel?: number;
  /** Counts until the runs are being started. */
  readonly signal?: AbortSignal;
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
}

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
   * known, or its job, where the machine has a scheduler: it may begin much later. Rejects with `MetricSpecError` before anything is started, and with `LaunchFailure`. `signal` counts until
   * the process is being started.
   */
  launch(spec: RunSpec, signal?: AbortSignal): Promise<Run> {
    return this.#launches.get(spec.id) ?? this.#launching(spec, this.#launch(spec, signal));
  }

  /**
   * Starts runs of one machine that belong together. Where the machine has a scheduler they are one job array, submitted
   * whole or not at all, of which at most `maxParallel` run at a time; elsewhere they are launched one after the other,
   * at once: who wants few at a time asks again when one has ended. What became of each, in the order of `specs`: as with
   * `launch`, asked again the runs that are there are meant, and what was rejected is a `LaunchFailure`. Never rejects.
   */
  async launchTogether(
    specs: readonly RunSpec[],
    { signal, maxParallel }: LaunchTogetherOptions = {},
  ): Promise<readonly PromiseSettledResult<Run>[]> {
    const [first] = specs;
    const outcomes: PromiseSettledResult<Run>[] = [];
    if (first === undefined) return outcomes;
    if (this.#machine(first.machineId).scheduler) this.#launchArray(specs, maxParallel, signal);
    for (const spec of specs) outcomes.push(...(await Promise.allSettled([this.launch(spec, signal)])));
    return outcomes;
  }

  /**
   * The run that an earlier process launched, or `undefined` when it was never started (`launch` then starts it).
   * Output is read on from where it was left. When the run is over already, it has ended before this resolves.
   */
  async adopt(spec: RunSpec): Promise<Run | undefined> {
    const known = this.#runs.get(spec.id);
    if (known) return known;
    const machine = await this.#known(spec.machineId);
    try {
      if (!(await hostOf({ spec, machine, clock: this.#options.clock }).exists())) return undefined;
      return await this.#adopt(spec, await machine.stat(runFolder(machine.runsFolder, spec.id).output));
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

  /** The last lines of the output; also of a run that has ended. Without any, what its job said beside it. */
  async output(run: Run, { lines }: { readonly lines: number }): Promise<OutputTail> {
    const machine = this.#machineOf(run);
    const tail = await readTail(machine, run.outputPath, lines);
    if (tail.sizeBytes > 0 || machine.scheduler === undefined) return tail;
    return readTail(machine, runFolder(machine.runsFolder, run.spec.id).batch, lines);
  }

  /**
   * Ends every process of the run: the command's group and session, and whatever else carries the run's id in its
   * environment. Resolves when the machine has been asked what is left. Rejects with `MachineFailure`.
   */
  async kill(run: Run, options: KillOptions = {}): Promise<KillResult> {
    const { signal = 'TERM', graceMs = defaultGraceMs } = options;
    const wasRunning = run.liveness.kind !== 'ended';
    const isEnding = !signalsThatEndNothing.includes(signal);
    const host = this.#runs.get(run.spec.id)?.host ?? this.#hostOf(run);
    const { isOver, ...report } = await host.signal(signal, isEnding ? graceMs : undefined);
    const isVerified = isEnding && isOver;
    if (isVerified) await this.#recorded(run);
    return { ...report, signal, wasRunning, isVerified };
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

  #hostOf({ spec }: Run): RunHost {
    return hostOf({ spec, machine: this.#machine(spec.machineId), clock: this.#options.clock });
  }

  #launching(spec: RunSpec, launch: Promise<Run>): Promise<Run> {
    this.#launches.set(spec.id, launch);
    launch.catch(() => this.#launches.delete(spec.id));
    return launch;
  }

  #launch(spec: RunSpec, signal: AbortSignal | undefined): Promise<Run> {
    const { scheduler } = this.#machine(spec.machineId);
    const prepared = this.#prepared(spec, signal);
    return this.#started(prepared, async (run) =>
      scheduler ? this.#submit([run], undefined) : this.#startProcess(run),
    );
  }

  /** Those that are not being launched yet, as one. */
  #launchArray(specs: readonly RunSpec[], maxParallel: number | undefined, signal: AbortSignal | undefined): void {
    const wanted = specs.filter(({ id }) => !this.#launches.has(id));
    const prepared = wanted.map((spec) => this.#prepared(spec, signal));
    const submitted = Promise.all(prepared).then((runs) => this.#submit(runs, maxParallel));
    // Each of them tells of it, unless none got so far.
    submitted.catch(() => undefined);
    for (const [index, run] of prepared.entries()) {
      const spec = wanted[index];
      if (spec)
        void this.#launching(
          spec,
          this.#started(run, () => submitted),
        );
    }
  }

  async #prepared(spec: RunSpec, signal: AbortSignal | undefined): Promise<LiveRun> {
    createLineParser(spec.metrics);
    const run = await this.#prepare(spec);
    if (!signal?.aborted) return run;
    this.#forget(run);
    throw signal.reason;
  }

  async #started(prepared: Promise<LiveRun>, start: (run: LiveRun) => Promise<void>): Promise<Run> {
    const run = await prepared;
    try {
      await start(run);
      return run;
    } catch (error) {
      this.#forget(run);
      throw error;
    }
  }

  async #submit([first, ...others]: readonly LiveRun[], maxParallel: number | undefined): Promise<void> {
    if (first === undefined) return;
    const machine = this.#machineOf(first);
    const { scheduler } = machine;
    if (scheduler === undefined) throw notStarted(first.spec, `machine ${machine.id} has no scheduler any more`);
    const specs: [RunSpec, ...RunSpec[]] = [first.spec, ...others.map(({ spec }) => spec)];
    await submitJobs(machine, scheduler, specs, { clock: this.#options.clock, maxParallel });
    // What cannot be told now is asked again by the run itself.
    await Promise.all([first, ...others].map((run) => run.check()));
  }

  async #prepare(spec: RunSpec): Promise<LiveRun> {
    try {
      const machine = this.#options.machines.get(spec.machineId);
      await machine.ready?.();
      const folder = runFolder(machine.runsFolder, spec.id);
      // The folder is for its owner only: it holds the environment of the run.
      await this.#exec(machine, `umask 077 && mkdir -p -- ${shellQuote(folder.path)}`);
      await Promise.all(
        Object.entries(capsuleFiles(spec, machine)).map(([name, text]) =>
          machine.writeFile(`${folder.path}/${name}`, Buffer.from(text)),
        ),
      );
      return await this.#attach(spec, undefined);
    } catch (error) {
      throw notStarted(spec, messageOf(error), error);
    }
  }

  async #startProcess(run: LiveRun): Promise<void> {
    const { spec } = run;
    await startProcess(this.#machineOf(run), spec, this.#options.clock);
    // A look that fails is repeated by the run itself.
    await this.#within(startTimeoutMs, Promise.all([run.look().catch(() => undefined), run.started]));
    if (run.process) return;
    const { text } = await this.output(run, { lines: 20 }).catch(() => ({ text: '' }));
    if (run.liveness.kind === 'ended') throw await this.#refusal(spec, text);
    throw unconfirmed(spec, `did not confirm its start in ${startTimeoutMs} ms. ${text}`);
  }

  async #refusal(spec: RunSpec, text: string): Promise<LaunchFailure> {
    const machine = this.#machine(spec.machineId);
    const busy = await machine.stat(runFolder(machine.runsFolder, spec.id).busy).catch(() => undefined);
    const why = text || 'the capsule could not start the command';
    return notStarted(spec, why, undefined, busy !== undefined);
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
    if (change.kind === 'ended' && isLaunch && change.run.handle === undefined) return;
    this.#changes.fire(change);
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
    if (live) await this.#within(recordTimeoutMs, Promise.all([live.check(), live.ended]));
  }

  async #within(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const timeout = delay(this.#options.clock, timeoutMs, over.signal).catch(() => undefined);
    await Promise.race([promise, timeout]).finally(() => over.abort());
  }
}
