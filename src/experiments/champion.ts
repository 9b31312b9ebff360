/** Ranks the settings of a session. The first one is the champion. */
import { noiseOf } from '../metrics/noise.ts';
import { isInvalid, isOut } from './decisionsInForce.ts';
import type { Decisive, ExperimentResult, ExperimentRow, LedgerRow } from './ledger.ts';
import { summaryOfRepeats } from './ledgerExperiments.ts';
import { settingGroups } from './repeats.ts';
import { judgeSettings, type GroupResult } from './target/judgeTarget.ts';
import type { Target } from './target/target.ts';

interface Candidate {
  readonly result: ExperimentResult;
  /**
   * 0 if the setting meets all conditions of the target, 2 if it breaks a condition on another
   * metric than the objective, otherwise 1.
   */
  readonly fulfilment: 0 | 1 | 2;
  /** 0 for a confirmed keep, 1 for a provisional one, 2 if undecided. */
  readonly standing: 0 | 1 | 2;
  /** When the setting was last kept; 0 if it is not kept. */
  readonly keptMs: number;
}

/**
 * Ranks the settings whose runs ended successfully or have not ended, the best first. Settings of
 * which all runs were decided discard, reference, invalid or crash are left out. Settings that meet the target
 * rank first, settings that break a limit of the goal last; then settings with all repeats of the
 * goal rank before those that lack some; then kept settings rank before
 * undecided ones, and confirmed keeps before provisional ones whose lead is within the noise. Runs
 * that repeat each other, in whichever experiment, are ranked by their mean. In a tie, the setting that
 * was kept last wins, otherwise the earlier run.
 */
export function rankedSettings(
  experiments: readonly ExperimentRow[],
  decisive: Decisive,
  target: Target | undefined,
): readonly ExperimentResult[] {
  const judged = judgedRuns(experiments, target);
  const candidates = settingGroups(experiments)
    .filter((runs) => runs.some(({ decision }) => !isOut(decision)))
    .map((runs) => runs.filter(({ decision }) => !isInvalid(decision)))
    .flatMap((repeats) => candidateOf(repeats, decisive, judged) ?? []);
  return withConfirmedFirst(candidates, decisive).map(({ result }) => result);
}

/** Returns the verdict of the target on each run's setting. */
function judgedRuns(
  experiments: readonly ExperimentRow[],
  target: Target | undefined,
): ReadonlyMap<LedgerRow, Candidate['fulfilment']> {
  if (target === undefined || target.conditions.length === 0) return new Map();
  const { metric } = target.objective;
  return new Map(
    judgeSettings(target, { experiments }).flatMap((group) => {
      const fulfilment = fulfilmentOf(group, metric);
      return group.runs.map((row): [LedgerRow, Candidate['fulfilment']] => [row, fulfilment]);
    }),
  );
}

function fulfilmentOf({ isMet, conditions }: GroupResult, metric: string): 0 | 1 | 2 {
  if (isMet) return 0;
  return conditions.some((one) => one.isBroken && one.condition.metric !== metric) ? 2 : 1;
}

function candidateOf(
  repeats: readonly LedgerRow[],
  decisive: Decisive,
  judged: ReadonlyMap<LedgerRow, Candidate['fulfilment']>,
): Candidate | undefined {
  const summary = summaryOfRepeats(repeats, decisive);
  const [first] = summary?.runs ?? [];
  if (summary === undefined || first === undefined) return undefined;
  const keeps = repeats.flatMap(({ decision }) => (decision?.decision === 'keep' ? decision : []));
  return {
    result: { metric: decisive.metric, rule: decisive.rule, ...summary },
    fulfilment: judged.get(first) ?? 1,
    standing: keeps.length === 0 ? 2 : keeps.every((one) => one.isProvisional) ? 1 : 0,
    keptMs: Math.max(0, ...keeps.map(({ atMs }) => atMs)),
  };
}

/** Returns whether `one` is the better value of the decisive metric. */
export const isBetter = (one: number, other: number, { direction }: Decisive): boolean =>
  direction === 'lower' ? one < other : one > other;

/**
 * Sorts candidates. A provisional keep ranks before the best confirmed keep only if its lead is
 * beyond the noise. Without this exception, a baseline would stay the best only because it was
 * repeated.
 */
function withConfirmedFirst(candidates: readonly Candidate[], decisive: Decisive): Candidate[] {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const rank = ({ result }: Candidate): number => sign * result.mean;
  const confirmed = new Map(
    ([0, 1, 2] as const).map((fulfilment) => [
      fulfilment,
      candidates
        .filter((one) => one.fulfilment === fulfilment && one.standing === 0)
        .toSorted((a, b) => rank(a) - rank(b))[0],
    ]),
  );
  const standingOf = (one: Candidate): number => {
    const best = confirmed.get(one.fulfilment);
    if (one.standing !== 1 || best === undefined) return one.standing;
    const isAhead = rank(one) < rank(best) && noiseOf(one.result, best.result) === 'beyond';
    return isAhead ? 0 : 1;
  };
  return candidates.toSorted(
    (a, b) =>
      a.fulfilment - b.fulfilment ||
      Number(a.result.lack !== undefined) - Number(b.result.lack !== undefined) ||
      standingOf(a) - standingOf(b) ||
      rank(a) - rank(b) ||
      b.keptMs - a.keptMs ||
      (a.result.runs[0]?.number ?? 0) - (b.result.runs[0]?.number ?? 0),
  );
}
