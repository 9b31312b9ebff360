/**
 * Experiments that bring nothing more: how many in a row, counted from the ledger and the journal
 * alone.
 */
import type { RunId } from '../../base/ids.ts';
import type { ExperimentResult, ExperimentRow, Ledger } from '../../experiments/ledger.ts';
import { isOut } from '../../experiments/recordRows.ts';
import type { PlateauPolicy } from '../../watchdogs/plateauSettings.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/** 1: other strategies are advised · 2: what comes next is announced. */
export type PlateauStage = 1 | 2;

export interface Plateau {
  /** Experiments in a row that did not improve on the best, since a user last spoke. */
  readonly count: number;
  /** The last stage that was told of this row; 0: none. */
  readonly told: 0 | PlateauStage;
}

interface Course {
  readonly endedAt: Map<RunId, number>;
  readonly stages: { readonly at: number; readonly stage: PlateauStage }[];
  spokenAt: number;
}

/** When it was by our clock: those of machines differ. */
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
 * Experiments count in the order in which they were over. Those that repeat another one on purpose
 * do not, nor do those that only their machines failed. One that crashed, or was discarded, did not
 * improve on anything.
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
  /** 1 where less is better, −1 where more is. */
  readonly sign: 1 | -1;
  readonly noisePercent: number;
}

/**
 * By more than the noise: a share of the best value, or what repeats of either showed, whichever is
 * more.
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

/** The stage that so many experiments have reached; `end`: the policy ends the session. */
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
