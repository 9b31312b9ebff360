/** Builds the ledger of runs and experiments, and picks the champion. */
import { isTiming } from '../metrics/direction.ts';
import { findMetric, splitRank } from '../metrics/metricName.ts';
import type {
  Decisive,
  ExperimentRow,
  Ledger,
  LedgerEntry,
  LedgerRow,
  NamedResult,
  PlannedExperiment,
} from './ledger.ts';
import { isBetter, rankedSettings } from './champion.ts';
import { decisionsByRun, leadOf } from './decisionsInForce.ts';
import { experimentRows } from './ledgerExperiments.ts';
import { repeatsOfTarget, type Objective, type Target } from './target/target.ts';

export interface LedgerDeps {
  readonly target?: Target | undefined;
  /** Recorded experiments by id, oldest first. */
  readonly experiments?: ReadonlyMap<string, PlannedExperiment>;
  readonly imported?: readonly NamedResult[];
}

/**
 * Builds the ledger. The champion is the best run of the setting that `rankedSettings` ranks first.
 */
export function buildLedger(measured: readonly LedgerEntry[], source: LedgerDeps = {}): Ledger {
  const { target, experiments: records = new Map(), imported = [] } = source;
  const entries = withDecisions(measured, records);
  const decisive = decisiveMetric(entries, target);
  const rows = entries.map((entry) => ({ ...entry, isChampion: false }));
  const experiments = experimentRows(rows, records, decisive);
  if (decisive === undefined) return { rows, experiments, imported };
  const [best, ...others] = rankedSettings(experiments, decisive, target);
  const champion = best && leadOf(best.runs);
  if (best === undefined || champion === undefined)
    return { rows, experiments, imported, decisive };
  const crowned = { ...champion, isChampion: true };
  const crown = (row: LedgerRow): LedgerRow => (row === champion ? crowned : row);
  const rival = others.find(({ mean }) => isBetter(mean, best.mean, decisive));
  return {
    rows: rows.map(crown),
    experiments: experiments.map((row) => withChampion(row, champion, crown)),
    imported,
    decisive,
    champion: crowned,
    best: { ...best, runs: best.runs.map(crown) },
    ...(rival && { rival }),
  };
}

function withChampion(
  row: ExperimentRow,
  champion: LedgerRow,
  crown: (row: LedgerRow) => LedgerRow,
): ExperimentRow {
  if (!row.runs.includes(champion)) return row;
  const { result } = row;
  return {
    ...row,
    isChampion: true,
    runs: row.runs.map(crown),
    ...(result && { result: { ...result, runs: result.runs.map(crown) } }),
  };
}

function withDecisions(
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, PlannedExperiment>,
): readonly LedgerEntry[] {
  const decisions = decisionsByRun(entries, records);
  return entries.map((entry) => {
    const decision = decisions.get(entry.runId);
    return decision === undefined ? entry : { ...entry, decision };
  });
}

function decisiveMetric(
  entries: readonly LedgerEntry[],
  target: LedgerDeps['target'],
): Decisive | undefined {
  const rule = target?.rule ?? 'last';
  if (target === undefined) {
    const found = mostMeasured(entries);
    return found && { ...found, rule };
  }
  const { metric, direction } = target.objective;
  const printed = new Set(entries.flatMap(({ metrics }) => metrics.map((one) => one.metric)));
  const repeats = repeatsOfTarget(target);
  return {
    metric: findMetric(metric, [...printed]) ?? metric,
    direction,
    rule,
    ...(repeats && { repeats }),
  };
}

function mostMeasured(entries: readonly LedgerEntry[]): Objective | undefined {
  const counts = new Map<string, Objective & { runs: number }>();
  for (const { metric, direction } of entries.flatMap((entry) => entry.metrics)) {
    if (direction === 'none') continue;
    counts.set(metric, { metric, direction, runs: (counts.get(metric)?.runs ?? 0) + 1 });
  }
  const [best] = [...counts.values()].sort(
    (a, b) =>
      Number(isTiming(a.metric)) - Number(isTiming(b.metric)) ||
      splitRank(a.metric) - splitRank(b.metric) ||
      b.runs - a.runs,
  );
  return best && { metric: best.metric, direction: best.direction };
}
