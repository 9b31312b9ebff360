/** Counts consecutive experiments without improvement, from the ledger and the journal alone. */
import type { RunId } from '../../base/ids.ts';
import type { ExperimentResult, ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import { isOut } from '../../experiments/ledgerExperiments.ts';
import type { PlateauPolicy } from '../../watchdogs/plateauSettings.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/** 1: advise other strategies · 2: announce what follows. */
export type PlateauStage = 1 | 2;

export interface Plateau {
  /**
   * Consecutive experiments, since the last message of the user, that did not improve on the best.
   */
  readonly count: number;
  /** Last stage that the model was notified of in this plateau; 0: none. */
  readonly told: 0 | PlateauStage;
}

interface Course {
  readonly endedAt: Map<RunId, number>;
  readonly stages: { readonly at: number; readonly stage: PlateauStage }[];
  spokenAt: number;
}

/** Times by this computer's clock: clocks of machines differ. */
const courseOf = growingFold<JournalEvent, Course>(
  () => ({ endedAt: new Map(), stages: [], spokenAt: -Infinity }),
  (course, event) => {
    if (event.type === 'run.ended') course.endedAt.set(event.runId, event.at);
    if (event.type !== 'message.added') return;
    if (event.origin === 'person') course.spokenAt = event.at;
    if (event.plateauStage !== undefined)
      course.stages.push({ at: event.at, stage: event.plateauStage });
  },
);

/**
 * Counts experiments in the order in which they ended. Skips deliberate repeats, and experiments
 * that only their machines failed. Crashed and discarded experiments count as no improvement.
 */
export function plateauOf(
  { experiments, decisive }: Pick<Ledger, 'experiments' | 'decisive'>,
  events: readonly JournalEvent[],
  { noisePercent }: Pick<PlateauPolicy, 'noisePercent'>,
): Plateau {
  const { endedAt, stages, spokenAt } = courseOf(events);
  const overAt = ({ runs }: ExperimentRow): number =>
    Math.max(...runs.map(({ runId }) => endedAt.get(runId) ?? 0));
  let best: ExperimentResult | undefined;
  let sinceAt = spokenAt;
  let count = 0;
  for (const row of experiments.filter(isTried).toSorted((a, b) => overAt(a) - overAt(b))) {
    const result = isOut(row.decision) ? undefined : row.result;
    const sign = decisive?.direction === 'higher' ? -1 : 1;
    if (result !== undefined && isBetter(result, best, { sign, noisePercent })) {
      best = result;
      count = 0;
      sinceAt = Math.max(sinceAt, overAt(row));
    } else if (overAt(row) > spokenAt) count += 1;
  }
  const told = stages.filter(({ at }) => at >= sinceAt).map(({ stage }) => stage);
  return { count, told: told.includes(2) ? 2 : told.includes(1) ? 1 : 0 };
}

const isTried = ({ status, plan, runs }: ExperimentRow): boolean =>
  status === 'over' &&
  plan?.retest === undefined &&
  !runs.every(({ verdict }) => verdict?.kind === 'lost' || verdict?.kind === 'preempted');

interface Scale {
  /** 1 when lower is better, −1 when higher is. */
  readonly sign: 1 | -1;
  readonly noisePercent: number;
}

/**
 * True when the result is better by more than the noise: a share of the best value, or the spread
 * of repeats of either, whichever is larger.
 */
function isBetter(
  result: ExperimentResult,
  best: ExperimentResult | undefined,
  { sign, noisePercent }: Scale,
): boolean {
  if (best === undefined) return true;
  const noise = Math.max(
    (Math.abs(best.mean) * noisePercent) / 100,
    best.spread ?? 0,
    result.spread ?? 0,
  );
  return sign * (best.mean - result.mean) > noise;
}

/** Returns the stage for a count of experiments; `end`: the policy ends the session. */
export function stageOf(
  count: number,
  { experiments, onPlateau }: PlateauPolicy,
): 0 | PlateauStage | 'end' {
  if (experiments === 0 || count < experiments) return 0;
  if (onPlateau === 'end' && count >= endsAfter(experiments)) return 'end';
  return count < announcedAfter(experiments) ? 1 : 2;
}

export const endsAfter = (experiments: number): number => 2 * experiments;
const announcedAfter = (experiments: number): number => experiments + Math.ceil(experiments / 2);
