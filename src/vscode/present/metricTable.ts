/** The metrics of a run as a small Markdown table, each against the best of the runs before it. */
import type { RunState } from '../../agent/state.ts';
import type { Evidence } from '../../agent/events.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { formatValue } from '../../base/text.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { plain } from './words.ts';

export interface RunResult {
  readonly metrics: readonly MetricSummary[];
  /** The runs that ended well before. */
  readonly before: readonly RunState[];
  /** Named first: the metric of the goal. */
  readonly decisive?: string | undefined;
}

const maxRows = 6;

/** Empty when the run printed no metric. */
export function metricTable(result: RunResult): string {
  const rows = ordered(result.metrics, result.decisive);
  if (rows.length === 0) return '';
  const lines = rows
    .slice(0, maxRows)
    .map(
      (row) => `| ${plain(row.metric, 40)} | ${formatValue(row.last)} | ${bestCell(row)} | ${against(row, result)} |`,
    );
  const more = rows.length > maxRows ? `\n\n${rows.length - maxRows} more in the metrics panel.` : '';
  return `| Metric | Last | Best | Against the runs before |\n| :-- | --: | --: | :-- |\n${lines.join('\n')}${more}`;
}

const rank = (row: MetricSummary, decisive: MetricSummary | undefined): number =>
  row === decisive ? 0 : row.direction === 'none' ? 2 : 1;

function ordered(metrics: readonly MetricSummary[], decisive: string | undefined): MetricSummary[] {
  const first = decisive === undefined ? undefined : summaryFor(metrics, decisive);
  return [...metrics].sort((a, b) => rank(a, first) - rank(b, first));
}

const bestCell = (row: MetricSummary): string => (row.direction === 'none' ? '' : formatValue(row.best));

/** The arrow says where the value went, the word whether that is good: neither needs a colour. */
function against(row: MetricSummary, { before }: RunResult): string {
  if (row.firstNonFinite !== undefined) return `${formatValue(row.firstNonFinite.value)} ${where(row.firstNonFinite)}`;
  if (row.direction === 'none') return '';
  const rival = bestBefore(row, before);
  if (rival === undefined) return '';
  const was = `was ${formatValue(rival.value)} in run ${rival.run}`;
  if (row.best === rival.value) return `= same · ${was}`;
  const isUp = row.best > rival.value;
  return `${isUp ? '▲' : '▼'} ${isUp === (row.direction === 'higher') ? 'better' : 'worse'} · ${was}`;
}

const where = (at: { readonly index: number; readonly step: number }): string =>
  Number.isFinite(at.step) ? `at step ${at.step}` : `at point ${at.index}`;

function bestBefore(row: MetricSummary, before: readonly RunState[]): { value: number; run: number } | undefined {
  let rival: { value: number; run: number } | undefined;
  for (const run of before) {
    const value = summaryFor(run.metrics, row.metric)?.best;
    if (value === undefined || !Number.isFinite(value)) continue;
    const isBetter = rival === undefined || (row.direction === 'lower' ? value < rival.value : value > rival.value);
    if (isBetter) rival = { value, run: run.spec.number };
  }
  return rival;
}

/** What the engine read to prove the goal. Empty when there is none. */
export function evidenceTable(evidence: readonly Evidence[]): string {
  if (evidence.length === 0) return '';
  const lines = evidence.map(
    (row) =>
      `| ${plain(row.run, 40)} | ${plain(row.metric, 40)} | ${formatValue(row.last)} | ${formatValue(row.best)} | ${row.count} |`,
  );
  return `| Run | Metric | Last | Best | Points |\n| :-- | :-- | --: | --: | --: |\n${lines.join('\n')}`;
}
