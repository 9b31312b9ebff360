/**
 * The metrics of a run as texts that compare the last value of each metric with the best last value
 * of earlier runs.
 */
import type { RunState } from '../../agent/journal/state.ts';
import type { Evidence } from '../../agent/journal/events.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { counted, formatValue } from '../../base/text.ts';
import type { Objective } from '../../experiments/target/target.ts';
import { judge } from '../../metrics/compare.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { runName } from '../../runs/run.ts';
import { plain } from '../../base/markdown.ts';

export interface RunResult {
  readonly metrics: readonly MetricSummary[];
  /** Earlier runs that ended successfully. */
  readonly before: readonly RunState[];
  /** The goal's metric, which is listed first. */
  readonly decisive?: Objective | undefined;
}

/** Maximum number of metrics of a run to name. */
const maxMetrics = 4;

/**
 * Returns a text for each metric: `val_loss 1.89 (best so far 1.97 in run 3 ▼ better)`. If the run
 * reported more than `maxMetrics`, the last text counts the others.
 */
export function metricTexts(result: RunResult): readonly string[] {
  const rows = ordered(result.metrics, result.decisive);
  const others = rows.length - maxMetrics;
  return [
    ...rows.slice(0, maxMetrics).map((row) => {
      const other = against(row, result);
      return `${row.metric} ${formatValue(row.last)}${other === '' ? '' : ` (${other})`}`;
    }),
    ...(others > 0 ? [counted(others, 'other metric')] : []),
  ];
}

const rank = (row: MetricSummary, decisive: MetricSummary | undefined): number =>
  row === decisive ? 0 : row.direction === 'none' ? 2 : 1;

function ordered(
  metrics: readonly MetricSummary[],
  decisive: Objective | undefined,
): MetricSummary[] {
  const first = decisive === undefined ? undefined : summaryFor(metrics, decisive.metric);
  return [...metrics].sort((a, b) => rank(a, first) - rank(b, first));
}

/**
 * Compares a metric with the best earlier value. An arrow shows the direction of the change, and a
 * word says whether the value is better, so that no colour is needed.
 */
function against(row: MetricSummary, { before }: RunResult): string {
  if (row.firstNonFinite !== undefined)
    return `${formatValue(row.firstNonFinite.value)} ${where(row.firstNonFinite)}`;
  if (row.direction === 'none') return '';
  const rival = bestBefore(row, before);
  if (rival === undefined) return '';
  const { verdict, delta } = judge(rival.value, row.last, row.direction);
  const arrow = verdict === 'same' ? '=' : delta > 0 ? '▲' : '▼';
  return `best so far ${formatValue(rival.value)} in ${runName(rival.run)} ${arrow} ${verdict}`;
}

const where = (at: { readonly index: number; readonly step: number }): string =>
  Number.isFinite(at.step) ? `at step ${at.step}` : `at point ${at.index}`;

interface Rival {
  readonly value: number;
  /** Number of the run. */
  readonly run: number;
}

/** Returns the best last value of the earlier runs; of equal ones, that of the first run. */
function bestBefore(row: MetricSummary, before: readonly RunState[]): Rival | undefined {
  const rivals = before.flatMap(({ metrics, spec }): Rival[] => {
    const value = summaryFor(metrics, row.metric)?.last ?? Number.NaN;
    return Number.isFinite(value) ? [{ value, run: spec.number }] : [];
  });
  const sign = row.direction === 'lower' ? 1 : -1;
  return rivals.toSorted((a, b) => sign * (a.value - b.value))[0];
}

/** Returns, as a Markdown list, the evidence that the goal is met; empty text if there is none. */
export const evidenceList = (evidence: readonly Evidence[]): string =>
  evidence
    .map(({ run, metric, last, best, count }) => {
      const other = best === last ? '' : `best ${formatValue(best)}, `;
      return `- ${plain(metric, 40)} **${formatValue(last)}** in ${plain(run, 40)} (${other}${counted(count, 'point')})`;
    })
    .join('\n');
