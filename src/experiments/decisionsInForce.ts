/** Finds the decisions in force: on an experiment, and on each setting of its runs. */
import type { RunId } from '../base/ids.ts';
import type { ExperimentDecision, LedgerEntry, LedgerRow, PlannedExperiment } from './ledger.ts';
import { repeatsOf, runsByExperiment } from './repeats.ts';

type Decisions = readonly ExperimentDecision[];

/** Verdicts that mean failure, even if the run measured values before its end. */
const badEnds: ReadonlySet<string> = new Set(['failed', 'signalled', 'out_of_memory']);

/** Returns whether all runs failed, were killed by a signal, or ran out of memory. */
export const hasCrashed = (runs: readonly Pick<LedgerRow, 'verdict'>[]): boolean =>
  runs.length > 0 &&
  runs.every(({ verdict }) => verdict !== undefined && badEnds.has(verdict.kind));

/** Returns whether the decision excludes runs from becoming the champion. */
export const isOut = (decision: ExperimentDecision | undefined): boolean =>
  decision !== undefined &&
  ['discard', 'reference', 'invalid', 'crash'].includes(decision.decision);

/** Returns whether runs with the decision cannot support any result. */
export const isInvalid = (decision: ExperimentDecision | undefined): boolean =>
  decision?.decision === 'invalid' || decision?.decision === 'crash';

/**
 * Returns the run that stands for its repeats: a run with a confirmed `keep` before one with a
 * provisional one, before an undecided one, before an excluded one.
 */
export const leadOf = <Row extends LedgerEntry>(runs: readonly Row[]): Row | undefined =>
  runs.toSorted((a, b) => standing(a) - standing(b))[0];

function standing({ decision }: LedgerEntry): number {
  if (decision?.decision === 'keep') return decision.isProvisional ? 1 : 0;
  return isOut(decision) ? 3 : 2;
}

/** Returns the last decision on a run: on its setting, or on the whole experiment. */
export const lastDecisionOn = (decisions: Decisions, run: number): ExperimentDecision | undefined =>
  decisions.findLast(({ runs }) => runs === undefined || runs.includes(run));

/** Returns the decision in force on each run: run id → decision. Undecided runs have no entry. */
export function decisionsByRun(
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, PlannedExperiment>,
): ReadonlyMap<RunId, ExperimentDecision> {
  const found = [...runsByExperiment(entries)].flatMap(([id, runs]) => {
    const decisions = records.get(id)?.decisions ?? [];
    if (decisions.length === 0) return [];
    const settings = decisions.every((one) => one.runs === undefined) ? [runs] : repeatsOf(runs);
    return settings.flatMap((setting) => {
      const decision = decisionOn(decisions, setting);
      return decision === undefined
        ? []
        : setting.map(({ runId }): [RunId, ExperimentDecision] => [runId, decision]);
    });
  });
  return new Map(found);
}

/** Returns whether Helios itself found that runs cannot support any result. */
export const isRefused = ({ by, decision }: ExperimentDecision): boolean =>
  by === 'engine' && decision === 'invalid';

/**
 * Returns the last decision on a setting; `invalid` by the engine stays in force. A decision `crash`
 * by the engine is void if a run was added that has not crashed, even if that run is still running.
 */
function decisionOn(
  decisions: Decisions,
  setting: readonly LedgerEntry[],
): ExperimentDecision | undefined {
  const own = decisions.filter(
    ({ runs }) => runs === undefined || setting.some(({ number }) => runs.includes(number)),
  );
  const last = own.find(isRefused) ?? own.at(-1);
  const isCrash = last?.by === 'engine' && last.decision === 'crash';
  return isCrash && !hasCrashed(setting) ? undefined : last;
}

/**
 * Returns the decision on an experiment as a whole: `keep` if one of its settings is kept,
 * `undefined` as long as a setting is undecided.
 */
export function decisionOver(
  decisions: Decisions,
  runs: readonly LedgerRow[],
): ExperimentDecision | undefined {
  if (runs.length === 0) return decisions.at(-1);
  const kept = runs.findLast(({ decision }) => decision?.decision === 'keep')?.decision;
  if (kept !== undefined) return kept;
  return runs.every(({ decision }) => decision !== undefined) ? runs.at(-1)?.decision : undefined;
}
