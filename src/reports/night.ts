/**
 * The facts of a report, joined: what each run measured of the metric that decides, and how values
 * are ranked.
 */
import type { RunId } from '../base/ids.ts';
import type { Decision } from '../experiments/experiment.ts';
import type { ExperimentRow, LedgerRow } from '../experiments/ledger.ts';
import { hasCrashed, measuredValue } from '../experiments/recordRows.ts';
import { knownNumbers, type KnownNumbers } from './claims.ts';
import type { BriefFacts, RunFacts } from './facts.ts';

export interface Night {
  readonly facts: BriefFacts;
  readonly known: KnownNumbers;
  /** `undefined` of a run that never came to life. */
  rowOf(run: Pick<RunFacts, 'id'>): LedgerRow | undefined;
  /**
   * The best value of the metric that decides; `undefined` where the run has none, or does not
   * count.
   */
  valueOf(row: LedgerRow | undefined): number | undefined;
  /** Below 0: `a` is better than `b`. What has no value comes last. */
  compare(a: number | undefined, b: number | undefined): number;
}

export function nightOf(facts: BriefFacts): Night {
  const { rows, decisive } = facts.ledger;
  const byId = new Map(rows.map((row): [RunId, LedgerRow] => [row.runId, row]));
  const sign = decisive?.direction === 'higher' ? -1 : 1;
  return {
    facts,
    known: knownNumbers(facts),
    rowOf: ({ id }) => byId.get(id),
    valueOf: (row) => row && decisive && measuredValue(row, decisive),
    compare: (a = Infinity * sign, b = Infinity * sign) => (a === b ? 0 : sign * (a < b ? -1 : 1)),
  };
}

/** What was decided; what crashed needs nobody to say so. `undefined`: nobody has judged it. */
export const decisionOf = ({ decision, runs }: ExperimentRow): Decision | undefined =>
  decision?.decision ?? (hasCrashed(runs) ? 'crash' : undefined);

/** The best value in an experiment, and the run that has it. */
export function bestIn(
  { compare, valueOf }: Night,
  { runs }: ExperimentRow,
): { value: number; row: LedgerRow } | undefined {
  let best: { value: number; row: LedgerRow } | undefined;
  for (const row of runs) {
    const value = valueOf(row);
    if (value !== undefined && (best === undefined || compare(value, best.value) < 0))
      best = { value, row };
  }
  return best;
}
