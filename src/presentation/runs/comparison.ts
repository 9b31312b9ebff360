/** A document that compares two runs side by side. */
import { rowStatus } from '../../experiments/ledger.ts';
import { formatValue } from '../../base/text.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import type { Judgement, MetricComparison } from '../../metrics/compare.ts';
import { codeBlock, plain } from '../../base/markdown.ts';
import { runName, runTitle } from '../../runs/run.ts';

export { compareRuns } from '../../metrics/compare.ts';

export interface ComparedRuns {
  readonly baseline: LedgerRow;
  readonly experiment: LedgerRow;
  readonly metrics: readonly MetricComparison[];
}

export function comparisonDocument({ baseline, experiment, metrics }: ComparedRuns): string {
  return [
    `# ${runTitle(experiment.number)} against ${runName(baseline.number)}`,
    [
      '| | Run | What | Machine | Result |',
      '| :-- | --: | :-- | :-- | :-- |',
      `| Baseline | ${runCells(baseline)} |`,
      `| Experiment | ${runCells(experiment)} |`,
    ].join('\n'),
    metrics.length === 0 ? 'Neither run printed a metric.' : metricsTable(metrics),
    ...equalStepTable(metrics),
    '## Commands',
    codeBlock(`${baseline.command}\n${experiment.command}`, 'sh'),
    '',
  ].join('\n\n');
}

const runCells = (row: LedgerRow): string =>
  [row.number, plain(row.label, 60), plain(row.machineId, 40), plain(rowStatus(row), 120)].join(
    ' | ',
  );

function metricsTable(metrics: readonly MetricComparison[]): string {
  const rows = metrics.map(({ metric, baseline, experiment, atEnd, atBest }) => {
    const last = `${valueOf(baseline?.last)} | ${valueOf(experiment?.last)} | ${judged(atEnd)}`;
    const best = `${valueOf(baseline?.best)} | ${valueOf(experiment?.best)} | ${judged(atBest)}`;
    return `| ${plain(metric, 40)} | ${last} | ${best} |`;
  });
  const head =
    '| Metric | Last before | Last now | | Best before | Best now | |\n| :-- | --: | --: | :-- | --: | --: | :-- |';
  return `## Metrics\n\n${head}\n${rows.join('\n')}`;
}

/**
 * Compares the runs at the last step that both reached, because a run that ended earlier would
 * otherwise be at a disadvantage.
 */
function equalStepTable(metrics: readonly MetricComparison[]): string[] {
  const rows = metrics.flatMap(({ metric, atEqualStep: at }) => {
    if (at === undefined) return [];
    const where = at.by === 'step' ? `step ${at.position}` : `point ${at.position + 1}`;
    return [
      `| ${plain(metric, 40)} | ${where} | ${formatValue(at.baseline)} | ${formatValue(at.experiment)} | ${judged(at)} |`,
    ];
  });
  if (rows.length === 0) return [];
  return [
    `## At equal step\n\n| Metric | At | Before | Now | |\n| :-- | :-- | --: | --: | :-- |\n${rows.join('\n')}`,
  ];
}

const valueOf = (value: number | undefined): string =>
  value === undefined ? '' : formatValue(value);

function judged(judgement: Judgement | undefined): string {
  if (judgement === undefined || judgement.verdict === 'n/a') return '';
  if (judgement.verdict === 'same') return '= same';
  const { delta, relativeDelta, verdict } = judgement;
  const percent = Number.isFinite(relativeDelta)
    ? ` ${Math.abs(relativeDelta * 100).toFixed(1)} %`
    : '';
  return `${delta > 0 ? '▲' : '▼'}${percent} ${verdict}`;
}
