/** How far a sweep is: derived from the state of its session, nothing of its own. */
import type { RunState, SessionState, SweepState } from '../journal/state.ts';

export interface SweepProgress {
  /** Indices of points without a run that are still to have one, in order. */
  readonly waiting: readonly number[];
  /**
   * Runs that were planned and are not over: they count against `maxParallel`, also while nothing
   * is known of them.
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

/** Nothing of it runs or will run. */
export function isSweepOver(state: SessionState, id: string): boolean {
  const sweep = state.sweeps.get(id);
  return (
    sweep === undefined || (sweep.end !== undefined && progressOf(state, sweep).going.length === 0)
  );
}

/** A sweep as it is named by people and models: `s1`, `sweep s1`, `S1`. */
export function sweepOf(state: SessionState, reference: string): SweepState | undefined {
  const id = /^(?:sweep\s*)?(s\d+)$/i.exec(reference.trim())?.[1];
  return id === undefined ? undefined : state.sweeps.get(id.toLowerCase());
}
