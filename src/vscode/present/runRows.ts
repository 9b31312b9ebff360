/** Runs as rows, the same under their session and under their machine. Pure: no `vscode` here. */
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import { formatDuration, formatValue } from '../../base/text.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import { verdictText } from '../../runs/run.ts';
import type { TreeNode } from './treeNode.ts';
import { code, exactTime, formatSpan, plain, relativeTime, verdictIcon, type Icon } from './words.ts';

export interface RunRowPlace {
  readonly sessionId: string;
  readonly decisive: Ledger['decisive'];
  readonly nowMs: number;
  /** Keeps the ids of one run in two trees apart. */
  readonly idPrefix: string;
}

export function runRow(row: LedgerRow, place: RunRowPlace): TreeNode {
  const state = row.verdict ? verdictText(row.verdict) : 'running';
  const value = valueText(row, place.decisive);
  const isChampion = row.isChampion && row.verdict !== undefined;
  const description = [
    isChampion ? 'champion' : '',
    value ?? '',
    row.label,
    row.verdict && row.verdict.kind !== 'ok' ? state : '',
    timeText(row, place.nowMs),
  ].filter((part) => part !== '');
  return {
    id: `${place.idPrefix}/${row.runId}`,
    label: `Run ${row.number}`,
    description: description.join(' · '),
    tooltip: tooltip(row, state),
    icon: icon(row),
    context: `run ${row.verdict ? 'ended' : 'running'}`,
    spoken: `Run ${row.number}, ${state}${isChampion ? ', champion' : ''}${value ? `, best ${value}` : ''}, ${row.label}, on ${row.machineId}`,
    target: { kind: 'run', runId: row.runId, sessionId: place.sessionId },
    onClick: 'helios.showMetrics',
  };
}

const icon = (row: LedgerRow): Icon =>
  row.isChampion && row.verdict ? { id: 'star-full', color: 'charts.yellow' } : verdictIcon(row.verdict);

function valueText(row: LedgerRow, decisive: Ledger['decisive']): string | undefined {
  const summary = decisive && summaryFor(row.metrics, decisive.metric);
  return summary && `${decisive.metric} ${formatValue(summary.best)}`;
}

function timeText(row: LedgerRow, nowMs: number): string {
  if (row.verdict === undefined) return row.startedMs === undefined ? 'starting' : formatSpan(nowMs - row.startedMs);
  return row.endedMs === undefined ? '' : relativeTime(row.endedMs, nowMs);
}

const maxMetrics = 8;

function tooltip(row: LedgerRow, state: string): string {
  const times = [
    row.startedMs === undefined ? '' : `Started ${exactTime(row.startedMs)}`,
    row.endedMs === undefined ? '' : `ended ${exactTime(row.endedMs)}`,
    row.startedMs === undefined || row.endedMs === undefined ? '' : formatDuration(row.endedMs - row.startedMs),
  ].filter((part) => part !== '');
  const metrics = row.metrics.slice(0, maxMetrics).map(metricRow);
  return [
    `**Run ${row.number}** ${plain(state)}${row.isChampion ? ' · champion' : ''}`,
    code(row.command, 300),
    `${plain(row.machineId)}${row.handle ? ` · ${code(row.handle)}` : ''}`,
    times.join(' · '),
    metrics.length === 0
      ? ''
      : ['| Metric | Last | Best | Points |', '| :-- | --: | --: | --: |', ...metrics].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const metricRow = (row: MetricSummary): string =>
  `| ${plain(row.metric, 40)} | ${formatValue(row.last)} | ${row.direction === 'none' ? '' : formatValue(row.best)} | ${row.count} |`;
