/** The runs of this process: launched, found again after a restart, read, ended. */
import { waitAtMost, type Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';
import type { RunId } from '../base/ids.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import type { Machines } from '../machines/machine.ts';
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
  /** Where points of runs are kept on this computer, absolute: one folder per run id. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger?: Logger;
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
const signalsThatEndNothing: readonly string[] = ['STOP', 'CONT'];

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
   * Starts a run, once per run id, however often and by however many processes it is asked.
   * Resolves when its process is known, or its job, where the machine has a scheduler: it may begin
   * much later. Rejects with `MetricSpecError` before anything is started, and with
   * `LaunchFailure`. `signal` counts until the process is being started.
   */
  launch(spec: RunSpec, signal?: AbortSignal): Promise<Run> {
    return this.#launches.one(spec, signal);
  }

  /**
   * Starts runs of one machine that belong together. Where the machine has a scheduler they are one
   * job array, submitted whole or not at all, of which at most `maxParallel` run at a time;
   * elsewhere they are launched one after the other, at once: who wants few at a time asks again
   * when one has ended. What became of each, in the order of `specs`: as with `launch`, asked again
   * the runs that are there are meant, and what was rejected is a `LaunchFailure`. Never rejects.
   */
  launchTogether(
    specs: readonly RunSpec[],
    options: LaunchTogetherOptions = {},
  ): Promise<readonly PromiseSettledResult<Run>[]> {
    return this.#launches.together(specs, options);
  }

  /**
   * The run that an earlier process launched, or `undefined` when it was never started (`launch`
   * then starts it). Output is read on from where it was left. When the run is over already, it has
   * ended before this resolves.
   */
  async adopt(spec: RunSpec): Promise<Run | undefined> {
    const known = this.#followed.get(spec.id);
    if (known) return known;
    const machine = await this.#machines.reach(spec.machineId);
    const { output } = runFolder(machine.runsFolder, spec.id);
    try {
      if (!(await hostOf({ spec, machine, clock: this.#clock }).exists())) return undefined;
      return await this.#checked(this.#followed.follow(spec, await machine.stat(output)));
    } catch (error) {
      // That a machine does not answer says nothing about the run.
      if (!saysNothing(error)) throw error;
      return this.#checked(this.#followed.follow(spec));
    }
  }

  get(id: RunId): Run | undefined {
    return this.#followed.get(id);
  }

  /** Oldest first. */
  all(): readonly Run[] {
    return this.#followed.all();
  }

  /**
   * The last lines of the output; also of a run that has ended. Without any, what its job said
   * beside it.
   */
  async output(run: Run, { lines }: { readonly lines: number }): Promise<OutputTail> {
    return readOutput(this.#machines.get(run.spec.machineId), run, lines);
  }

  /**
   * Ends every process of the run: the command's group and session, and whatever else carries the
   * run's id in its environment. Resolves when the machine has been asked what is left. Rejects
   * with `MachineFailure`.
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

  /** Lets go of every run. None is ended by it. */
  dispose(): void {
    this.#changes.dispose();
    this.#followed.dispose();
  }

  async #checked<T extends { check(): Promise<void> }>(following: Promise<T>): Promise<T> {
    const run = await following;
    await run.check();
    return run;
  }

  /** A run that never started is the failure of its launch, not an end. */
  #tell(change: RunChange): void {
    const isLaunch = this.#launches.has(change.run.spec.id);
    if (change.kind === 'ended' && isLaunch && change.run.handle === undefined) return;
    this.#changes.fire(change);
  }
}
