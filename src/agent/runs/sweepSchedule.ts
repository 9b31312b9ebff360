/**
 * Scheduler of a sweep: derives the next step from the sweep's plan, runs and machines, and stores
 * no state.
 */
import type { RunId } from '../../base/ids.ts';
import type { RunSpec } from '../../runs/run.ts';
import type { SweepEndReason } from '../../runs/sweep.ts';
import { budgetEndMs } from '../budget/measures.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { isPaused, progressOf, type SweepProgress } from './sweepProgress.ts';

/**
 * - `end`: the sweep launches no more points
 * - `launch`: launch runs on a machine now
 * - `wait`: launch nothing until a run ends or a machine can take another run
 */
export type SweepStep =
  | { readonly kind: 'end'; readonly why: SweepEndReason }
  | { readonly kind: 'launch'; readonly work: SweepWork }
  | { readonly kind: 'wait' };

/** Work for one machine: points to plan (`indices`), and planned runs to start (`specs`). */
export interface SweepWork {
  readonly machineId: string;
  readonly indices: readonly number[];
  readonly specs: readonly RunSpec[];
}

export interface SweepSituation {
  readonly state: SessionState;
  readonly sweep: SweepState;
  readonly nowMs: number;
  /** Machines of the plan that can take work now, in the order of the plan. */
  readonly open: readonly string[];
  /** Returns whether the machine takes all points together and queues them itself. */
  isScheduler(machineId: string): boolean;
  /** Returns whether the point is being launched. */
  isTaken(index: number): boolean;
  /** Returns whether this process follows the run. */
  isFollowed(id: RunId): boolean;
}

export function nextStep(situation: SweepSituation): SweepStep {
  const progress = progressOf(situation.state, situation.sweep);
  const why = endOf(situation, progress);
  if (why !== undefined) return { kind: 'end', why };
  if (isPaused(situation.sweep)) return { kind: 'wait' };
  const work = workOf(situation, progress);
  return work === undefined ? { kind: 'wait' } : { kind: 'launch', work };
}

function endOf(
  { state, nowMs }: SweepSituation,
  { waiting, going }: SweepProgress,
): SweepEndReason | undefined {
  const end = endedBy(state, nowMs);
  return end ?? (waiting.length + going.length === 0 ? 'done' : undefined);
}

/** Returns the reason why the session may launch nothing more; `undefined` if it may. */
export function endedBy(
  state: SessionState,
  nowMs: number,
): 'session_ended' | 'budget' | undefined {
  if (state.phase === 'ended') return 'session_ended';
  const endMs = budgetEndMs(state);
  return endMs !== undefined && nowMs >= endMs ? 'budget' : undefined;
}

/**
 * Chooses the next work. A scheduler gets all unstarted runs and waiting points together. Otherwise
 * chooses one run that is planned but not started; if there is none, the first waiting point, on
 * the machine with the fewest active points.
 */
function workOf(
  situation: SweepSituation,
  { going, waiting }: SweepProgress,
): SweepWork | undefined {
  const { open, sweep } = situation;
  const free = waiting.filter((index) => !situation.isTaken(index));
  const absent = going.filter((run) => isAbsent(run, situation)).map(({ spec }) => spec);
  const scheduler = open.find((id) => situation.isScheduler(id));
  if (scheduler !== undefined)
    return free.length + absent.length > 0
      ? { machineId: scheduler, indices: free, specs: absent }
      : undefined;
  for (const machineId of open) {
    const spec = absent.find((one) => one.machineId === machineId);
    if (spec !== undefined) return { machineId, indices: [], specs: [spec] };
  }
  const there = (id: string): number => going.filter(({ spec }) => spec.machineId === id).length;
  const [machineId] = open.toSorted((a, b) => there(a) - there(b));
  const count = going.length + waiting.length - free.length;
  const hasRoom = free.length > 0 && count < (sweep.plan.maxParallel ?? Infinity);
  return machineId !== undefined && hasRoom
    ? { machineId, indices: free.slice(0, 1), specs: [] }
    : undefined;
}

/** Whether a planned run was never started, neither by this process nor by an earlier one. */
const isAbsent = ({ spec, process }: RunState, { isFollowed }: SweepSituation): boolean =>
  process === undefined && !isFollowed(spec.id);
