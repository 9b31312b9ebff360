/** Builds the ledger of runs and experiments, and picks the champion. */
import { isTiming } from '../metrics/direction.ts';
import { findMetric, splitRank } from '../metrics/metricName.ts';
import type {
  Decisive,
  ExperimentResult,
  ImportedResult,
  Ledger,
  LedgerEntry,
  LedgerRow,
  PlannedExperiment,
} from './ledger.ts';
import { decisionsByRun, isOut } from './decisionsInForce.ts';
import { experimentRows, summaryOfRepeats, type RepeatsSummary } from './ledgerExperiments.ts';
import { experimentOf, repeatsOf } from './repeats.ts';
import type { Objective, Target } from './target/target.ts';

export interface LedgerDeps {
  readonly target?: Pick<Target, 'objective' | 'rule'> | undefined;
  /** Recorded experiments by id, oldest first. */
  readonly experiments?: ReadonlyMap<string, PlannedExperiment>;
  readonly imported?: readonly ImportedResult[];
}

/**
 * Builds the ledger. The champion is the best run that ended successfully or has not ended. Runs
 * are excluded if their setting or experiment was decided discard, reference, invalid or crash.
 * Runs with the decision keep rank above all other runs. Runs that repeat each other, also in
 * retests, are ranked by their mean. In a tie, the earlier run wins.
 */
export function buildLedger(measured: readonly LedgerEntry[], source: LedgerDeps = {}): Ledger {
  const { target, experiments: records = new Map(), imported = [] } = source;
  const entries = withDecisions(measured, records);
  const decisive = decisiveMetric(entries, target);
  const found = decisive && championOf(entries, records, decisive);
  const champion = found?.entry;
  const rows = entries.map((entry) => ({ ...entry, isChampion: entry === champion }));
  const championRow = rows.find((row) => row.isChampion);
  const experiments = experimentRows(rows, records, decisive);
  return {
    rows,
    experiments,
    imported,
    ...(decisive && { decisive }),
    ...(championRow && { champion: championRow }),
    ...(decisive && found && { best: bestOf(found.summary, rows, decisive) }),
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
  return { metric: findMetric(metric, [...printed]) ?? metric, direction, rule };
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

function bestOf(
  summary: RepeatsSummary<LedgerEntry>,
  rows: readonly LedgerRow[],
  { metric, rule }: Decisive,
): ExperimentResult {
  const ids = new Set(summary.runs.map(({ runId }) => runId));
  return { ...summary, metric, rule, runs: rows.filter(({ runId }) => ids.has(runId)) };
}

interface Candidate {
  /** The first run of the repeats. */
  readonly entry: LedgerEntry;
  readonly summary: RepeatsSummary<LedgerEntry>;
  readonly isKept: boolean;
  /** Rank among the candidates for champion; lower is better. */
  readonly rank: number;
}

function championOf(
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, PlannedExperiment>,
  decisive: Decisive,
): Candidate | undefined {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const families = Map.groupBy(
    entries.filter(({ decision }) => !isOut(decision)),
    (entry) => records.get(experimentOf(entry))?.plan.retest?.of ?? experimentOf(entry),
  );
  const candidates = [...families.values()].flatMap(repeatsOf).flatMap((repeats): Candidate[] => {
    const summary = summaryOfRepeats(repeats, decisive);
    const [entry] = summary?.runs ?? [];
    if (summary === undefined || entry === undefined) return [];
    const isKept = repeats.some(({ decision }) => decision?.decision === 'keep');
    return [{ entry, summary, isKept, rank: sign * summary.mean }];
  });
  return candidates.toSorted(byRank)[0];
}

const byRank = (one: Candidate, other: Candidate): number =>
  Number(other.isKept) - Number(one.isKept) ||
  one.rank - other.rank ||
  one.entry.number - other.entry.number;
