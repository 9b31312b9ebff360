/** Groups the runs of a session: runs of a group differ in nothing but the seed. */
import { formatSpread, formatValue } from '../../base/text.ts';
import type { RunId } from '../../base/ids.ts';
import { summaryFor, type Ledger, type LedgerRow } from '../../experiments/ledger.ts';
import { settingGroups } from '../../experiments/repeats.ts';
import { repeatStatistics } from '../../experiments/repeatStatistics.ts';
import { seedOf, statisticsOver, type Statistics } from '../../experiments/seeds.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { runNames } from '../../runs/run.ts';

export { seedOf, statisticsOver, type Statistics };

export interface RunGroup {
  /**
   * Number of the group in its session, from 1, in the order of the first runs. The number stays
   * the same when further runs start.
   */
  readonly number: number;
  /** The runs by number; never empty. */
  readonly rows: readonly LedgerRow[];
}

/** Returns the groups. Each run is in one group; a reproduction is a group of its own. */
export function runGroups({ rows, experiments }: Ledger): readonly RunGroup[] {
  const groups = settingGroups(experiments);
  const grouped = new Set<RunId>(groups.flatMap((runs) => runs.map(({ runId }) => runId)));
  const others = rows.filter(({ runId }) => !grouped.has(runId)).map((row) => [row]);
  return [...groups, ...others]
    .toSorted((a, b) => firstNumber(a) - firstNumber(b))
    .map((runs, index) => ({ number: index + 1, rows: runs }));
}

const firstNumber = ([first]: readonly LedgerRow[]): number => first?.number ?? Infinity;

/** Returns the names of the runs of a group: `runs 4–6`. */
export const groupName = ({ rows }: RunGroup): string => runNames(rows.map(({ number }) => number));

/**
 * Returns the words that the labels of all runs of the group have in common; if there are none, the
 * label of the first run.
 */
export function groupLabel({ rows }: RunGroup): string {
  const [first = '', ...others] = rows.map(({ label }) => label);
  const sets = others.map((label) => new Set(label.split(/\s+/)));
  const common = first.split(/\s+/).filter((word) => sets.every((set) => set.has(word)));
  return common.join(' ').replace(/[\s,;·]+$/u, '') || first;
}

/**
 * Computes mean and spread of a metric over the seeds of a group. Runs without a finite value do
 * not count; `undefined` if no run counts.
 */
export function groupStatistics(
  { rows }: RunGroup,
  metric: string,
  valueOf: (summary: MetricSummary) => number,
): Statistics | undefined {
  const measured = rows.flatMap((row) => {
    const summary = summaryFor(row.metrics, metric);
    const value = summary && valueOf(summary);
    return value !== undefined && Number.isFinite(value) ? [{ row, value }] : [];
  });
  return measured.length === 0 ? undefined : repeatStatistics(measured);
}

/**
 * Returns the standard deviation within the groups, pooled over all groups with a spread;
 * `undefined` if no group has one.
 */
export function pooledSpread(groups: readonly (Statistics | undefined)[]): number | undefined {
  let squares = 0;
  let freedom = 0;
  for (const group of groups) {
    if (group?.spread === undefined || group.n < 2) continue;
    const { n, spread } = group;
    squares += (n - 1) * spread ** 2;
    freedom += n - 1;
  }
  return freedom === 0 ? undefined : Math.sqrt(squares / freedom);
}

/** Formats mean and standard deviation: `0.83 ± 0.02`. */
export const statisticsText = ({ mean, spread }: Statistics): string =>
  spread === undefined ? formatValue(mean) : `${formatValue(mean)} ± ${formatSpread(spread)}`;
