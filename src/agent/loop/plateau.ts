/**
 * Counts consecutive experiments without improvement. The count depends only on the ledger and the
 * journal.
 */
import type { RunId } from '../../base/ids.ts';
import type { ExperimentResult, ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import { isOut } from '../../experiments/decisionsInForce.ts';
import { noiseOf } from '../../metrics/noise.ts';
import type { PlateauPolicy } from '../../watchdogs/plateauSettings.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/**
 * 1: the model is advised to try other strategies. 2: the model is notified of what happens if the
 * plateau continues.
 */
export type PlateauStage = 1 | 2;

export interface Plateau {
  /** Number of consecutive experiments without a new best value, since the user's last message. */
  readonly count: number;
  /** Last stage of this plateau that the model was notified of; 0 when it was notified of none. */
  readonly told: 0 | PlateauStage;
}

interface Course {
  readonly endedAt: Map<RunId, number>;
  readonly stages: { readonly at: number; readonly stage: PlateauStage }[];
  spokenAt: number;
}

/**
 * Collects the ends of runs, the reminders about a plateau and the last message of the user. Uses
 * the times of the events, which are all from this computer's clock; the clocks of other machines
 * may differ.
 */
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
 * Counts the latest consecutive experiments without improvement, in the order in which they ended.
 * Ignores deliberate repeats, and experiments that failed only because of their machines. Crashed
 * and discarded experiments count as no improvement.
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
  const givenStages = stages.filter(({ at }) => at >= sinceAt).map(({ stage }) => stage);
  return { count, told: givenStages.includes(2) ? 2 : givenStages.includes(1) ? 1 : 0 };
}

const isTried = ({ status, plan, runs }: ExperimentRow): boolean =>
  status === 'over' &&
  plan?.retest === undefined &&
  !runs.every(({ verdict }) => verdict?.kind === 'lost' || verdict?.kind === 'preempted');

interface Scale {
  /** 1 when lower values are better, −1 when higher values are better. */
  readonly sign: 1 | -1;
  readonly noisePercent: number;
}

/**
 * Returns whether the result is better than the best by more than a percentage of the best value,
 * and not within the noise of repeats.
 */
function isBetter(
  result: ExperimentResult,
  best: ExperimentResult | undefined,
  { sign, noisePercent }: Scale,
): boolean {
  if (best === undefined) return true;
  const leastGain = (Math.abs(best.mean) * noisePercent) / 100;
  return sign * (best.mean - result.mean) > leastGain && noiseOf(result, best) !== 'within';
}

/**
 * Returns the stage of a plateau with `count` experiments: 0 when these are too few for a plateau,
 * `end` when the policy ends the session.
 */
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
