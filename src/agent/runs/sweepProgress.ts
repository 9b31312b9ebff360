/** Progress of a sweep, derived from the state of its session. */
import type { RunId } from '../../base/ids.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { statusCounts } from '../../experiments/ledger.ts';

export interface SweepProgress {
  /** Indices of the points that still need a run, in order. */
  readonly waiting: readonly number[];
  /**
   * Planned runs that have not ended, including runs whose state is unknown. All of them count
   * towards `maxParallel`.
   */
  readonly going: readonly RunState[];
  readonly over: readonly RunState[];
}

export function progressOf(state: SessionState, { plan, skipped }: SweepState): SweepProgress {
  const runs = [...state.runs.values()].filter(
    ({ spec, notStarted }) => spec.sweep?.id === plan.id && notStarted === undefined,
  );
  const launched = new Set(runs.map(({ spec }) => spec.sweep?.index));
  return {
    waiting: [...plan.points.keys()].filter((index) => !launched.has(index) && !skipped.has(index)),
    going: runs.filter(({ verdict }) => verdict === undefined),
    over: runs.filter(({ verdict }) => verdict !== undefined),
  };
}

/** Returns the runs of the sweep. */
export const runsOfSweep = (
  { runs }: SessionState,
  { plan }: SweepState,
): ReadonlyMap<RunId, RunState> =>
  new Map([...runs].filter(([, { spec }]) => spec.sweep?.id === plan.id));

/** Returns whether the sweep launches nothing until it is resumed. */
export const isPaused = ({ pause, end }: SweepState): boolean =>
  pause !== undefined && pause.isOver !== true && end === undefined;

/** Counts active runs by status: `2 running`, `1 queued`. */
export const activeCounts = (runs: readonly RunState[]): string[] =>
  statusCounts(runs.map(({ process }) => ({ startedMs: process?.startedMs })));

/** Returns whether no run of the sweep is active or will be started. */
export function isSweepOver(state: SessionState, id: string): boolean {
  const sweep = state.sweeps.get(id);
  return (
    sweep === undefined || (sweep.end !== undefined && progressOf(state, sweep).going.length === 0)
  );
}

/** Finds a sweep by the name that users and models give it: `s1`, `sweep s1`, `S1`. */
export function sweepOf(state: SessionState, reference: string): SweepState | undefined {
  const id = /^(?:sweep\s*)?(s\d+)$/i.exec(reference.trim())?.[1];
  return id === undefined ? undefined : state.sweeps.get(id.toLowerCase());
}
