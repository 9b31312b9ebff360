/** The ledger: one row per run, made of measured values only, and the champion among them. */
import type { RunId } from '../base/ids.ts';
import type { Direction, MetricSummary } from '../metrics/metric.ts';
import { verdictText, type Verdict } from '../runs/run.ts';

/** What the calls to models came to. `usd` is a lower bound where a price is not known. */
export interface ThinkingCost {
  readonly usd: number;
  /** Input, cached or not, and output. */
  readonly tokens: number;
  readonly hasUnknownCost: boolean;
}

export interface LedgerRow {
  readonly runId: RunId;
  readonly number: number;
  readonly machineId: string;
  readonly handle: string | undefined;
  readonly label: string;
  readonly command: string;
  /** Absent while the run goes on. */
  readonly verdict?: Verdict;
  readonly startedMs?: number;
  readonly endedMs?: number;
  readonly metrics: readonly MetricSummary[];
  /** The environment that was recorded for it: `env1`. */
  readonly envId?: string;
  /** Its share of what its experiment cost from its launch to that of the next. Absent until it has started. */
  readonly cost?: ThinkingCost;
  readonly isChampion: boolean;
}

export interface Ledger {
  readonly rows: readonly LedgerRow[];
  /** The metric that decides: the goal's, else the first one with a direction that the runs share. */
  readonly decisive?: { readonly metric: string; readonly direction: Direction };
  readonly champion?: LedgerRow;
}

export type LedgerEntry = Omit<LedgerRow, 'isChampion'>;

/** `queued`, `running`, or its verdict in words. */
export function rowStatus({ verdict, startedMs }: Pick<LedgerRow, 'verdict' | 'startedMs'>): string {
  if (verdict !== undefined) return verdictText(verdict);
  return startedMs === undefined ? 'queued' : 'running';
}

/** Only runs that ended well, or still go on, can be champion; the earlier one wins a tie. */
export function buildLedger(entries: readonly LedgerEntry[], target?: { metric: string; comparator: string }): Ledger {
  const decisive = decisiveMetric(entries, target);
  const champion = decisive && championOf(entries, decisive);
  const rows = entries.map((entry) => ({ ...entry, isChampion: entry === champion }));
  const championRow = rows.find((row) => row.isChampion);
  return { rows, ...(decisive && { decisive }), ...(championRow && { champion: championRow }) };
}

/** The summary of `metric` in `row`, matched without case, also by the last part of a path (`val/loss` for `loss`). */
export function summaryFor(metrics: readonly MetricSummary[], metric: string): MetricSummary | undefined {
  const wanted = metric.toLowerCase();
  return (
    metrics.find((summary) => summary.metric.toLowerCase() === wanted) ??
    metrics.find((summary) => summary.metric.toLowerCase().split('/').at(-1) === wanted)
  );
}

function decisiveMetric(
  entries: readonly LedgerEntry[],
  target?: { metric: string; comparator: string },
): Ledger['decisive'] {
  if (target !== undefined) {
    return { metric: target.metric, direction: target.comparator.startsWith('<') ? 'lower' : 'higher' };
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

function championOf(
  entries: readonly LedgerEntry[],
  decisive: NonNullable<Ledger['decisive']>,
): LedgerEntry | undefined {
  let champion: LedgerEntry | undefined;
  let best = Number.NaN;
  for (const entry of entries) {
    const value = rankedValue(entry, decisive);
    if (value === undefined) continue;
    if (champion === undefined || (decisive.direction === 'lower' ? value < best : value > best)) {
      champion = entry;
      best = value;
    }
  }
  return champion;
}

function rankedValue(entry: LedgerEntry, decisive: NonNullable<Ledger['decisive']>): number | undefined {
  if (entry.verdict !== undefined && entry.verdict.kind !== 'ok') return undefined;
  const summary = summaryFor(entry.metrics, decisive.metric);
  if (summary === undefined || summary.firstNonFinite !== undefined) return undefined;
  const value = decisive.direction === 'lower' ? summary.min : summary.max;
  return Number.isFinite(value) ? value : undefined;
}
