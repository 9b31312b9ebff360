/** The measured runs of a session, as the view What Mattered compares them. */
import type { RunId } from '../../../base/ids.ts';
import { bestSoFar, type BestAfter, type Measured } from '../../../experiments/bestSoFar.ts';
import { isInvalid } from '../../../experiments/decisionsInForce.ts';
import {
  countedValue,
  summaryFor,
  type Decisive,
  type Ledger,
  type LedgerRow,
} from '../../../experiments/ledger.ts';
import { runName } from '../../../runs/run.ts';
import { runGroups } from '../runGroups.ts';
import { parametersOf } from '../settingColumns.ts';

export interface MeasuredRuns {
  /** The metric by which runs are ranked; omitted if there is none. */
  readonly decisive?: Pick<Decisive, 'metric' | 'direction' | 'rule'>;
  /** The runs with a value, by number. */
  readonly runs: readonly MeasuredRun[];
  /** Number of runs that are left out: active, failed, invalid, or without a finite value. */
  readonly leftOut: number;
  /** The best value so far of these runs; see `bestSoFar`. */
  readonly best: readonly BestAfter[];
}

export interface MeasuredRun {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  /** Number of the runs that differ in nothing but the seed. */
  readonly group: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** Value of the deciding metric. */
  readonly value: number;
  readonly isChampion: boolean;
}

/** Returns the runs with these ids that ended with a finite value of the deciding metric. */
export function measuredRuns(
  { target, ledger }: Measured & { readonly ledger: Ledger },
  runIds: readonly string[],
): MeasuredRuns {
  const { decisive, rows, experiments } = ledger;
  const wanted: ReadonlySet<string> = new Set(runIds);
  const chosen = rows.filter(({ runId }) => wanted.has(runId));
  if (decisive === undefined) return { runs: [], leftOut: chosen.length, best: [] };
  const groups = groupNumbers(ledger);
  const runs = chosen.flatMap(
    (row) => measuredRun(row, groups.get(row.runId) ?? 0, decisive) ?? [],
  );
  const compared = experiments.map((row) => ({
    ...row,
    runs: row.runs.filter(({ runId }) => wanted.has(runId)),
  }));
  return {
    decisive,
    runs: runs.toSorted((a, b) => a.number - b.number),
    leftOut: chosen.length - runs.length,
    best: bestSoFar({ target, ledger: { decisive, experiments: compared } }),
  };
}

const groupNumbers = (ledger: Ledger): ReadonlyMap<RunId, number> =>
  new Map(
    runGroups(ledger).flatMap(({ number, rows }) => rows.map(({ runId }) => [runId, number])),
  );

/** Returns the run with its value; `undefined` if it does not count. */
function measuredRun(row: LedgerRow, group: number, decisive: Decisive): MeasuredRun | undefined {
  const { runId, number, isChampion } = row;
  const value = valueOf(row, decisive);
  if (value === undefined) return undefined;
  const parameters = Object.fromEntries(parametersOf(row));
  return { id: runId, number, name: runName(number), group, parameters, value, isChampion };
}

function valueOf(row: LedgerRow, decisive: Decisive): number | undefined {
  if (row.verdict?.kind !== 'ok' || isInvalid(row.decision) || row.isReproduction) return undefined;
  const summary = summaryFor(row.metrics, decisive.metric);
  const value = summary && countedValue(summary, decisive);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
