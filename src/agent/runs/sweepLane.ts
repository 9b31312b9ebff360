/**
 * The way of points to one machine: one at a time, and none for a while where the machine has no
 * room or does not answer.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { backoffMs } from '../../base/retries.ts';
import { freeSlots } from '../../runs/leases.ts';
import type { RunResources } from '../../runs/run.ts';
import type { SweepPlan } from '../../runs/sweep.ts';
import type { Machine } from '../../machines/machine.ts';

/** Somebody else's run may end unheard. */
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
  /** Why points wait for it. */
  problem: string | undefined;

  /** `onRested` is called when it is to be tried again. */
  constructor(machineId: string, clock: Clock, onRested: () => void) {
    this.machineId = machineId;
    this.#clock = clock;
    this.#onRested = onRested;
  }

  get isOpen(): boolean {
    return !this.#isBusy && this.#rest === undefined;
  }

  /** A point is on its way there. */
  begin(): void {
    this.#isBusy = true;
    this.#hasRunEnded = false;
  }

  done(): void {
    this.#isBusy = false;
  }

  /** No room there: tried again soon, or when a run has ended. */
  full(why: string): void {
    // What was in the way may be over since it was asked.
    if (this.#hasRunEnded) return;
    this.#sleep(why, fullMs);
    this.#isFull = true;
  }

  /** It does not answer, or could not do what was asked: tried again, later each time. */
  away(why: string): void {
    this.#sleep(why, backoffMs(awayPolicy, this.#failures++));
  }

  launched(): void {
    this.#failures = 0;
    this.#wake();
  }

  /** A run has ended: there may be room again. */
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

/** It takes all points at once and queues them itself. */
export const isScheduler = ({ kind }: Pick<Machine, 'kind'>): boolean => kind === 'slurm';

/**
 * What a point takes of the machine, or why there is no room for it now. Where nothing bounds the
 * runs of a machine (no GPUs, no slots, no `maxParallel`), a sweep has one run at a time there.
 * Rejects with `MachineFailure`.
 */
export async function roomFor(
  plan: SweepPlan,
  machine: Machine,
  goingThere: number,
): Promise<Room> {
  if (isScheduler(machine))
    return plan.gpusPerRun === undefined ? {} : { resources: { gpus: plan.gpusPerRun } };
  const { gpus, slots } = await freeSlots(machine);
  const wanted = plan.gpusPerRun ?? Math.min(gpus.length, 1);
  const free = gpus.filter(({ heldBy }) => heldBy === undefined).length;
  if (slots !== undefined && slots.free < 1) return { full: `all ${slots.total} slots are taken` };
  if (free < wanted)
    return { full: `${free} of ${gpus.length} GPUs are free, a point needs ${wanted}` };
  const isBounded = wanted > 0 || slots !== undefined || plan.maxParallel !== undefined;
  if (!isBounded && goingThere > 0)
    return { full: 'one run at a time, since max_parallel was not given' };
  return wanted > 0 ? { resources: { gpus: wanted } } : {};
}
