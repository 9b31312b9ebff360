/**
 * Prepares the facts of a report: adds the value of the decisive metric to each run, and the order
 * of these values.
 */
import type { RunId } from '../base/ids.ts';
import type { Decision } from '../experiments/experiment.ts';
import type { ExperimentRow, LedgerRow } from '../experiments/ledger.ts';
import { hasCrashed } from '../experiments/decisionsInForce.ts';
import { measuredValue } from '../experiments/ledgerExperiments.ts';
import { knownNumbers, type KnownNumbers } from './knownNumbers.ts';
import type { BriefFacts, RunFacts } from './facts.ts';

export interface Night {
  readonly facts: BriefFacts;
  readonly known: KnownNumbers;
  /** Returns `undefined` for a run that never started. */
  rowOf(run: Pick<RunFacts, 'id'>): LedgerRow | undefined;
  /**
   * Returns the run's best value of the decisive metric; `undefined` if the run has no value or did
   * not end successfully. A running run has a value.
   */
  valueOf(row: LedgerRow | undefined): number | undefined;
  /** Returns a negative number when `a` is better than `b`. Missing values come last. */
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

/**
 * Returns the decision on an experiment; `undefined` if no decision was made. If all runs have
 * crashed, returns `crash` even without a recorded decision.
 */
export const decisionOf = ({ decision, runs }: ExperimentRow): Decision | undefined =>
  decision?.decision ?? (hasCrashed(runs) ? 'crash' : undefined);
