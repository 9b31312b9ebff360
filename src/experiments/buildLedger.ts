/** Builds the ledger of runs and experiments, and picks the champion. */
import type { Direction } from '../metrics/metric.ts';
import type { Decisive, ImportedResult, Ledger, LedgerEntry, PlannedExperiment } from './ledger.ts';
import {
  experimentRows,
  isOut,
  repeatsOf,
  runsByExperiment,
  standingDecision,
  summaryOfRepeats,
} from './ledgerExperiments.ts';

export interface LedgerDeps {
  readonly target?: { readonly metric: string; readonly comparator: string } | undefined;
  /** Recorded experiments by id, oldest first. */
  readonly experiments?: ReadonlyMap<string, PlannedExperiment>;
  readonly imported?: readonly ImportedResult[];
}

/**
 * Builds the ledger. The champion is the best run that ended successfully or has not ended; runs of
 * experiments with the decision discard, invalid or crash are excluded. Runs of experiments with
 * the decision keep rank above all other runs. Runs that repeat each other are ranked by their
 * mean. In a tie, the earlier run wins.
 */
export function buildLedger(entries: readonly LedgerEntry[], source: LedgerDeps = {}): Ledger {
  const { target, experiments: records = new Map(), imported = [] } = source;
  const decisive = decisiveMetric(entries, target);
  const champion = decisive && championOf(entries, records, decisive);
  const rows = entries.map((entry) => ({ ...entry, isChampion: entry === champion }));
  const championRow = rows.find((row) => row.isChampion);
  const experiments = experimentRows(rows, records, decisive);
  return {
    rows,
    experiments,
    imported,
    ...(decisive && { decisive }),
    ...(championRow && { champion: championRow }),
  };
}

function decisiveMetric(
  entries: readonly LedgerEntry[],
  target: LedgerDeps['target'],
): Decisive | undefined {
  if (target !== undefined) {
    return {
      metric: target.metric,
      direction: target.comparator.startsWith('<') ? 'lower' : 'higher',
    };
  }
  const counts = new Map<string, { direction: Direction; runs: number }>();
  for (const summary of entries.flatMap((entry) => entry.metrics)) {
    if (summary.direction === 'none') continue;
    const count = counts.get(summary.metric) ?? { direction: summary.direction, runs: 0 };
    counts.set(summary.metric, { ...count, runs: count.runs + 1 });
  }
  const [best] = [...counts].sort((a, b) => b[1].runs - a[1].runs);
  return best && { metric: best[0], direction: best[1].direction };
}

interface Candidate {
  readonly entry: LedgerEntry;
  readonly isKept: boolean;
  /** Rank among the candidates for champion; lower is better. */
  readonly rank: number;
}

function championOf(
  entries: readonly LedgerEntry[],
  records: ReadonlyMap<string, PlannedExperiment>,
  decisive: Decisive,
): LedgerEntry | undefined {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const candidates = [...runsByExperiment(entries)].flatMap(([id, runs]): Candidate[] => {
    const record = records.get(id);
    const decision = record && standingDecision(record, runs);
    if (isOut(decision)) return [];
    return repeatsOf(runs).flatMap((repeats): Candidate[] => {
      const summary = summaryOfRepeats(repeats, decisive);
      const [entry] = summary?.runs ?? [];
      if (summary === undefined || entry === undefined) return [];
      return [{ entry, isKept: decision?.decision === 'keep', rank: sign * summary.mean }];
    });
  });
  return candidates.toSorted(byRank)[0]?.entry;
}

const byRank = (one: Candidate, other: Candidate): number =>
  Number(other.isKept) - Number(one.isKept) ||
  one.rank - other.rank ||
  one.entry.number - other.entry.number;
