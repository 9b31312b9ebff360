/**
 * Decides whether points of sweeps can be launched on a machine now: only one launch at a time, and
 * no launch during a pause. A pause begins when the machine has no free slot or GPU, or does not
 * answer.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { backoffMs } from '../../base/retries.ts';
import { freeSlots } from '../../runs/leases.ts';
import type { RunResources } from '../../runs/run.ts';
import type { SweepPlan } from '../../runs/sweep.ts';
import type { Machine } from '../../machines/machine.ts';

/**
 * Milliseconds after which a full machine is tried again: runs of other sessions may have ended.
 */
const fullMs = 15_000;
const awayPolicy = { waitsMs: [5_000, 15_000, 30_000, 60_000] };

export class SweepLane implements Disposable {
  readonly machineId: string;
  readonly #clock: Clock;
  readonly #onRested: () => void;
  #rest: Disposable | undefined;
  #isFull = false;
  #failures = 0;
  #isBusy = false;
  #hasRunEnded = false;
  /** Why points have to wait for this machine; `undefined` if they need not wait. */
  problem: string | undefined;

  /** `onRested` is called when the pause is over and the machine should be tried again. */
  constructor(machineId: string, clock: Clock, onRested: () => void) {
    this.machineId = machineId;
    this.#clock = clock;
    this.#onRested = onRested;
  }

  get isOpen(): boolean {
    return !this.#isBusy && this.#rest === undefined;
  }

  /** Marks the lane as busy with a launch. */
  begin(): void {
    this.#isBusy = true;
    this.#hasRunEnded = false;
  }

  done(): void {
    this.#isBusy = false;
  }

  /** Pauses because the machine is full. The pause ends after `fullMs`, or when a run has ended. */
  full(why: string): void {
    // A run that ended since the launch began may have freed a slot.
    if (this.#hasRunEnded) return;
    this.#sleep(why, fullMs);
    this.#isFull = true;
  }

  /**
   * Pauses because the machine does not answer or failed. The pause is longer after each
   * consecutive failure.
   */
  away(why: string): void {
    this.#sleep(why, backoffMs(awayPolicy, this.#failures++));
  }

  launched(): void {
    this.#failures = 0;
    this.#wake();
  }

  /** Called when a run has ended. Ends the pause if the machine was full. */
  runEnded(): void {
    this.#hasRunEnded = true;
    if (this.#isFull) this.#wake();
  }

  dispose(): void {
    this.#rest?.dispose();
  }

  #sleep(why: string, restMs: number): void {
    this.#wake();
    this.problem = why;
    this.#rest = this.#clock.after(restMs, () => {
      this.#rest = undefined;
      this.#isFull = false;
      this.#onRested();
    });
  }

  #wake(): void {
    this.#rest?.dispose();
    this.#rest = undefined;
    this.#isFull = false;
    this.problem = undefined;
  }
}

export type Room = { readonly resources?: RunResources } | { readonly full: string };

/** Returns whether the machine gets all points together, because its scheduler queues them. */
export const isScheduler = ({ kind }: Pick<Machine, 'kind'>): boolean => kind === 'slurm';

/**
 * Resolves with the reason why a single run has to wait for a free slot or GPU on the machine;
 * `undefined` if it need not wait, or if waiting does not help. Rejects with `MachineFailure`.
 */
export async function waitsFor(
  machine: Machine,
  { gpus: needed = 0 }: RunResources = {},
): Promise<string | undefined> {
  if (!takesPlace(machine, { gpus: needed })) return undefined;
  const { gpus, slots } = await freeSlots(machine);
  if (slots !== undefined && slots.free < 1) return `all ${slots.total} slots are taken`;
  const free = gpus.filter(({ heldBy }) => heldBy === undefined).length;
  return free < needed && needed <= gpus.length
    ? `${free} of ${gpus.length} GPUs are free, and it needs ${needed}`
    : undefined;
}

/** Returns whether the number of runs with these resources on the machine is limited by Helios. */
export const takesPlace = (machine: Machine, { gpus = 0 }: RunResources = {}): boolean =>
  machine.scheduler === undefined && (gpus > 0 || machine.share?.slots !== undefined);

/**
 * Returns the resources of a point on the machine, or why the machine is full now. If nothing
 * limits the number of parallel runs (no GPUs, no slots, no `maxParallel`), a sweep has one run at
 * a time on a machine. Rejects with `MachineFailure`.
 */
export async function roomFor(
  plan: SweepPlan,
  machine: Machine,
  goingThere: number,
): Promise<Room> {
  if (isScheduler(machine))
    return plan.gpusPerRun === undefined ? {} : { resources: { gpus: plan.gpusPerRun } };
  const { gpus, slots } = await freeSlots(machine);
  const neededGpus = plan.gpusPerRun ?? Math.min(gpus.length, 1);
  const free = gpus.filter(({ heldBy }) => heldBy === undefined).length;
  if (slots !== undefined && slots.free < 1) return { full: `all ${slots.total} slots are taken` };
  if (free < neededGpus)
    return { full: `${free} of ${gpus.length} GPUs are free, a point needs ${neededGpus}` };
  const isBounded = neededGpus > 0 || slots !== undefined || plan.maxParallel !== undefined;
  if (!isBounded && goingThere > 0)
    return { full: 'one run at a time, since max_parallel was not given' };
  return neededGpus > 0 ? { resources: { gpus: neededGpus } } : {};
}
