/** Launches runs, adopts them after a restart, reads their output and ends them. */
import { waitAtMost, type Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import type { RunId } from '../base/ids.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import type { Machines } from '../machines/machine.ts';
import type { MetricSpec } from '../metrics/metric.ts';
import { runFolder, type SignalReport } from './supervisor.ts';
import { FollowedRuns } from './followedRuns.ts';
import { hostOf } from './hostOf.ts';
import { Launches, type LaunchTogetherOptions } from './launches.ts';
import type { Run, RunChange } from './liveRun.ts';
import { readOutput, type OutputTail } from './outputTail.ts';
import type { RunSpec } from './run.ts';
import { RunMachines, saysNothing } from './runMachines.ts';

export interface RunsOptions {
  readonly machines: Machines;
  /**
   * Absolute path of the local folder that stores the metrics of runs, in one subfolder per run id.
   */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger?: Logger;
}

export interface KillOptions {
  /**
   * Name of the signal without `SIG`. `STOP` and `CONT` only pause and resume the run; `USR1`
   * and `USR2` go only to processes that handle them. Default: `TERM`.
   */
  readonly signal?: string;
  /** Milliseconds between the signal and KILL. Default: 10,000. */
  readonly graceMs?: number;
}

export interface KillResult extends SignalReport {
  readonly signal: string;
  /** Whether the run was active when the signal was requested. */
  readonly wasRunning: boolean;
  /** True if a check on the machine after the signal found no process of the run. */
  readonly isVerified: boolean;
}

const defaultGraceMs = 10_000;
/** Milliseconds to wait for the exit record after every process of the run is gone. */
const recordTimeoutMs = 5000;
const signalsThatEndNothing: readonly string[] = ['STOP', 'CONT', 'USR1', 'USR2'];

export class Runs implements Disposable {
  readonly #clock: Clock;
  readonly #machines: RunMachines;
  readonly #followed: FollowedRuns;
  readonly #launches: Launches;
  readonly #changes = new Emitter<RunChange>();
  readonly onDidChange: Event<RunChange> = this.#changes.event;

  constructor({ machines, folder, clock, logger = silentLogger }: RunsOptions) {
    this.#clock = clock;
    this.#machines = new RunMachines(machines);
    const onChange = (change: RunChange): void => this.#tell(change);
    this.#followed = new FollowedRuns({
      machines: this.#machines,
      folder,
      clock,
      logger,
      onChange,
    });
    this.#launches = new Launches({ machines: this.#machines, followed: this.#followed, clock });
  }

  /**
   * Starts a run once per run id, however often and by however many processes it is requested.
   * Resolves when the process of the run is known or, if the machine has a scheduler, when the job
   * is known; the job may begin much later. Rejects with `MetricSpecError` before anything is
   * started, and with `LaunchFailure`. `signal` cancels the launch, but has no effect once the
   * process is being started.
   */
  launch(spec: RunSpec, signal?: AbortSignal): Promise<Run> {
    return this.#launches.one(spec, signal);
  }

  /**
   * Starts related runs on one machine. With a scheduler, the runs form one job array, which is
   * submitted completely or not at all, and at most `maxParallel` of them run at a time. Without a
   * scheduler, all runs are launched immediately; to run fewer at a time, call `launch` again
   * whenever a run has ended. Resolves with the outcomes in the order of `specs`. As with `launch`,
   * existing runs are returned when requested again. Never rejects; outcomes are rejected for the
   * same reasons as by `launch`.
   */
  launchTogether(
    specs: readonly RunSpec[],
    options: LaunchTogetherOptions = {},
  ): Promise<readonly PromiseSettledResult<Run>[]> {
    return this.#launches.together(specs, options);
  }

  /**
   * Returns a run that an earlier process launched, or `undefined` if the run was never started
   * (use `launch`). Continues to read the output where the earlier process stopped. For a run that
   * is already over, resolves after its `ended` change.
   */
  async adopt(spec: RunSpec): Promise<Run | undefined> {
    try {
      return await this.adoptBegun(spec);
    } catch (error) {
      // If the machine does not answer, the run may exist: follow it.
      if (!saysNothing(error)) throw error;
      return this.#checked(this.#followed.follow(spec));
    }
  }

  /** Does the same as `adopt`, but rejects with `MachineFailure` if the machine does not answer. */
  async adoptBegun(spec: RunSpec): Promise<Run | undefined> {
    const known = this.#followed.get(spec.id);
    if (known) return known;
    const machine = await this.#machines.reach(spec.machineId);
    const { output } = runFolder(machine.runsFolder, spec.id);
    if (!(await hostOf({ spec, machine, clock: this.#clock }).exists())) return undefined;
    return this.#checked(this.#followed.follow(spec, await machine.stat(output)));
  }

  get(id: RunId): Run | undefined {
    return this.#followed.get(id);
  }

  /** All runs that this process follows, oldest first. */
  all(): readonly Run[] {
    return this.#followed.all();
  }

  /**
   * Reads the last lines of the output of an active or ended run. If there is no output, reads the
   * log of the run's job, which has text that the command did not print, such as errors of the
   * scheduler.
   */
  async output(run: Run, { lines }: { readonly lines: number }): Promise<OutputTail> {
    return readOutput(this.#machines.get(run.spec.machineId), run, lines);
  }

  /**
   * Ends every process of the run: the group and session of the command, and every process with the
   * run's id in its environment. Then checks on the machine which processes are left. Rejects with
   * `MachineFailure`.
   */
  async kill(run: Run, options: KillOptions = {}): Promise<KillResult> {
    const { spec } = run;
    const { signal = 'TERM', graceMs = defaultGraceMs } = options;
    const wasRunning = run.liveness.kind !== 'ended';
    const isEnding = !signalsThatEndNothing.includes(signal);
    const live = this.#followed.get(spec.id);
    const host =
      live?.host ??
      hostOf({ spec, machine: this.#machines.get(spec.machineId), clock: this.#clock });
    const { isOver, ...report } = await host.signal(signal, isEnding ? graceMs : undefined);
    const isVerified = isEnding && isOver;
    if (live && isVerified)
      await waitAtMost(this.#clock, recordTimeoutMs, Promise.all([live.check(), live.ended]));
    return { ...report, signal, wasRunning, isVerified };
  }

  /** Reads the output of a run again with another spec of metrics: see `LiveRun.reread`. */
  async reread(id: RunId, metrics: MetricSpec, record: () => Promise<void>): Promise<void> {
    await this.#followed.get(id)?.reread(metrics, record);
  }

  /** Stops following every run. No run is ended. */
  dispose(): void {
    this.#changes.dispose();
    this.#followed.dispose();
  }

  async #checked<T extends { check(): Promise<void> }>(following: Promise<T>): Promise<T> {
    const run = await following;
    await run.check();
    return run;
  }

  /** Fires a change. Omits the end of a run that never started, because its launch rejects. */
  #tell(change: RunChange): void {
    const isLaunch = this.#launches.has(change.run.spec.id);
    if (change.kind === 'ended' && isLaunch && change.run.handle === undefined) return;
    this.#changes.fire(change);
  }
}
