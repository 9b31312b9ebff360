/**
 * The waiting line of a session: the sweeps and the single runs that wait for free slots or GPUs on
 * machines, in the order in which they start. Derived from the journal alone.
 */
import type { RunSpec } from '../../runs/run.ts';
import type { RunState, SessionState, SweepState } from '../journal/state.ts';
import { isPaused, progressOf } from './sweepProgress.ts';

export type InLine =
  | { readonly kind: 'sweep'; readonly sweep: SweepState }
  | { readonly kind: 'run'; readonly run: RunState };

/** A run that waits in line, and its position in the line, from 1. */
export interface QueuedRun {
  readonly spec: RunSpec;
  readonly place: number;
}

/** Returns whether a single run waits in line for a free slot or GPU. */
export const isWaiting = ({ sweepsAhead, process, verdict, notStarted }: RunState): boolean =>
  sweepsAhead !== undefined &&
  process === undefined &&
  verdict === undefined &&
  notStarted === undefined;

/** Returns the active sweeps and the waiting runs in the order in which they start. */
export function lineOf({ sweeps, runs }: SessionState): InLine[] {
  const waiting = [...runs.values()].filter(isWaiting);
  const behind = (count: number): InLine[] =>
    waiting.filter(({ sweepsAhead }) => sweepsAhead === count).map((run) => ({ kind: 'run', run }));
  return [
    ...[...sweeps.values()].flatMap((sweep, index) => [
      ...behind(index),
      ...(sweep.end === undefined ? [{ kind: 'sweep', sweep } as const] : []),
    ]),
    ...behind(sweeps.size),
  ];
}

/** Returns whether all runs have ended, no run waits, and no sweep has points to start. */
export const isIdle = ({ runs, sweeps }: SessionState): boolean =>
  [...sweeps.values()].every((sweep) => sweep.end !== undefined || isPaused(sweep)) &&
  [...runs.values()].every((run) => run.verdict !== undefined || run.notStarted !== undefined);

/**
 * Returns the position in line of a waiting run on its machine, from 1. For a run that does not
 * wait, returns the position that it would get. A sweep whose points can start on this machine
 * counts as many positions as it has waiting points.
 */
export function placeInLine(
  state: SessionState,
  { id, machineId }: Pick<RunSpec, 'id' | 'machineId'>,
): number {
  let place = 1;
  for (const one of lineOf(state)) {
    if (one.kind === 'sweep') place += waitingPoints(state, one.sweep, machineId);
    else if (one.run.spec.id === id) break;
    else if (one.run.spec.machineId === machineId) place += 1;
  }
  return place;
}

function waitingPoints(state: SessionState, sweep: SweepState, machineId: string): number {
  const { machineIds, maxParallel = Infinity } = sweep.plan;
  const { going, waiting } = progressOf(state, sweep);
  const mayStart = machineIds.includes(machineId) && going.length < maxParallel;
  return mayStart && !isPaused(sweep) ? waiting.length : 0;
}
