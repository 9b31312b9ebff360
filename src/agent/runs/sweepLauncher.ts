/** Launches points of sweeps: plans runs on machines with free slots, and starts planned runs. */
import type { RunId } from '../../base/ids.ts';
import { MachineFailure, type Machine, type Machines } from '../../machines/machine.ts';
import { LaunchFailure } from '../../runs/launchFailure.ts';
import type { RunSpec } from '../../runs/run.ts';
import type { SweepPlan } from '../../runs/sweep.ts';
import { machinePath } from '../../tools/parameters/machinePath.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SweepState } from '../journal/state.ts';
import type { SessionRuns } from './sessionRuns.ts';
import { roomFor, type SweepLane } from './sweepLane.ts';
import { isPaused, progressOf } from './sweepProgress.ts';
import type { SweepWork } from './sweepSchedule.ts';

export interface SweepLauncherDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly machines: Machines;
  /**
   * Returns false before the sweeps are opened and after they are closed in this process: no points
   * may be launched then.
   */
  isOpen(): boolean;
  /**
   * Called with an error that is not a failure of a machine, for example when an event cannot be
   * recorded.
   */
  onFailed(error: unknown): void;
}

/**
 * Reasons of launch failures that the machine causes, not the point. The point is then launched
 * later, or on another machine.
 */
const machineReasons: readonly string[] = [
  'unreachable',
  'timeout',
  'auth',
  'host_key',
  'unknown_machine',
  'no_space',
];

/** A launch in progress: its sweep and its lane. */
interface Errand {
  readonly plan: SweepPlan;
  readonly lane: SweepLane;
}

export class SweepLauncher {
  readonly #deps: SweepLauncherDeps;
  /** Points that are being launched, as `<sweep id>/<index>`. */
  readonly #taken = new Set<string>();
  /**
   * Runs whose start was not confirmed. They may exist, so they must not be started on another
   * machine.
   */
  readonly #mayExist = new Set<RunId>();

  constructor(deps: SweepLauncherDeps) {
    this.#deps = deps;
  }

  /** Returns whether the point is being launched. */
  isTaken(sweepId: string, index: number): boolean {
    return this.#taken.has(key(sweepId, index));
  }

  /**
   * Launches points on the lane's machine. Never rejects: if points have to wait, passes the reason
   * to the lane.
   */
  async launch(plan: SweepPlan, lane: SweepLane, { indices, specs }: SweepWork): Promise<void> {
    lane.begin();
    const keys = indices.map((index) => key(plan.id, index));
    for (const each of keys) this.#taken.add(each);
    try {
      const machine = this.#deps.machines.get(lane.machineId);
      await machine.ready?.({ mayAsk: true });
      const planned = [...specs, ...(await this.#planned({ plan, lane }, machine, indices))];
      if (this.#deps.isOpen() && planned.length > 0) await this.#start({ plan, lane }, planned);
    } catch (error) {
      if (error instanceof MachineFailure) lane.away(error.message);
      else this.#deps.onFailed(error);
    } finally {
      lane.done();
      for (const each of keys) this.#taken.delete(each);
    }
  }

  /**
   * Starts a run that waits in line. Never rejects: if it has to wait longer, passes the reason to
   * the lane.
   */
  async launchQueued(spec: RunSpec, lane: SweepLane): Promise<void> {
    lane.begin();
    this.#taken.add(spec.id);
    try {
      await this.#deps.machines.get(lane.machineId).ready?.({ mayAsk: true });
      if (!this.#deps.isOpen()) return;
      const outcome = await this.#deps.sessionRuns.startQueued(spec);
      if (outcome === undefined) lane.full('all slots are taken');
      else if (outcome.status === 'fulfilled') lane.launched();
      else if (this.#deps.isOpen()) await this.#refused(lane, spec, outcome.reason);
    } catch (error) {
      if (error instanceof MachineFailure) lane.away(error.message);
      else this.#deps.onFailed(error);
    } finally {
      lane.done();
      this.#taken.delete(spec.id);
    }
  }

  /**
   * Takes a run out of the line, unless it is being started. Resolves with whether this was done.
   */
  async cancel(spec: RunSpec, why: string): Promise<boolean> {
    if (this.#taken.has(spec.id)) return false;
    this.#taken.add(spec.id);
    try {
      await this.#deps.sessionRuns.giveUp(spec.id, why);
      return true;
    } finally {
      this.#taken.delete(spec.id);
    }
  }

  /** Returns whether the run, which waits in line, is being started or taken out of the line. */
  isStarting(id: RunId): boolean {
    return this.#taken.has(id);
  }

  /**
   * Plans runs for the points; plans no runs if the machine is full. Rejects if the machine does
   * not answer.
   */
  async #planned(
    { plan, lane }: Errand,
    machine: Machine,
    indices: readonly number[],
  ): Promise<RunSpec[]> {
    if (indices.length === 0) return [];
    const { going } = progressOf(this.#deps.log.state, this.#sweep(plan));
    const room = await roomFor(
      plan,
      machine,
      going.filter(({ spec }) => spec.machineId === machine.id).length,
    );
    if ('full' in room) {
      lane.full(room.full);
      return [];
    }
    const cwd = plan.cwd === undefined ? undefined : await machinePath(machine, plan.cwd);
    const planned: RunSpec[] = [];
    for (const index of indices) {
      const point = plan.points[index];
      if (point === undefined || !this.#isActive(plan)) break;
      const request = {
        machineId: machine.id,
        command: point.command,
        label: point.label,
        metrics: { ...plan.metrics, ...(point.metricsFrom && { from: point.metricsFrom }) },
        sweep: { id: plan.id, index },
        ...(plan.experimentId !== undefined && { experimentId: plan.experimentId }),
        ...(plan.limit && { limit: plan.limit }),
        ...(cwd && { cwd }),
        ...room,
      };
      planned.push(await this.#deps.sessionRuns.plan(request, this.#sweep(plan).callId));
    }
    return planned;
  }

  async #start(errand: Errand, specs: readonly RunSpec[]): Promise<void> {
    const { sessionRuns } = this.#deps;
    const { plan, lane } = errand;
    if (!this.#isActive(plan)) {
      for (const spec of specs)
        await sessionRuns.giveUp(spec.id, 'its sweep had ended or was paused');
      return;
    }
    const outcomes = await sessionRuns.startTogether(specs, plan.maxParallel);
    for (const [index, outcome] of outcomes.entries()) {
      const spec = specs[index];
      if (outcome.status === 'fulfilled') lane.launched();
      else if (spec !== undefined && this.#deps.isOpen())
        await this.#notStarted(errand, spec, outcome.reason);
    }
  }

  /** Passes the failure of a start to the lane. Rethrows an error that is not a `LaunchFailure`. */
  #heard(lane: SweepLane, error: unknown) {
    if (!(error instanceof LaunchFailure)) throw error;
    const { message: why, isBusy } = error;
    const isFinal = error.reason === 'not_started';
    const isOfMachine =
      error.cause instanceof MachineFailure && machineReasons.includes(error.cause.reason);
    if (isBusy) lane.full(why);
    else if (!isFinal || isOfMachine) lane.away(why);
    return { why, isBusy, isFinal, isOfMachine };
  }

  async #refused(lane: SweepLane, spec: RunSpec, error: unknown): Promise<void> {
    const { why, isBusy, isFinal, isOfMachine } = this.#heard(lane, error);
    if (isFinal && !isBusy && !isOfMachine) await this.#deps.sessionRuns.giveUp(spec.id, why);
  }

  async #notStarted({ plan, lane }: Errand, spec: RunSpec, error: unknown): Promise<void> {
    const { why, isBusy, isFinal, isOfMachine } = this.#heard(lane, error);
    if (!isFinal) this.#mayExist.add(spec.id);
    // Keep the plan if the run may start only on this machine: the run's id ensures that it starts
    // at most once.
    const isBound = this.#mayExist.has(spec.id) || plan.machineIds.length === 1;
    if (!isFinal || (isOfMachine && isBound)) return;
    await this.#deps.sessionRuns.giveUp(spec.id, why);
    if (isBusy || isOfMachine || spec.sweep === undefined) return;
    const { id, index } = spec.sweep;
    await this.#deps.log.record({ type: 'sweep.point_skipped', sweepId: id, index, why });
  }

  #isActive(plan: SweepPlan): boolean {
    const sweep = this.#sweep(plan);
    return this.#deps.isOpen() && sweep.end === undefined && !isPaused(sweep);
  }

  #sweep({ id }: SweepPlan): SweepState {
    const sweep = this.#deps.log.state.sweeps.get(id);
    if (sweep === undefined) throw new Error(`There is no sweep ${id}`);
    return sweep;
  }
}

const key = (sweepId: string, index: number): string => `${sweepId}/${index}`;
