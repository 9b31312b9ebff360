/** Tree rows for runs, which look the same below a session and below a machine. */
import type { FactsOf, RunFacts } from '../window/sessionFacts.ts';
import {
  rowStatus,
  livenessText,
  runName,
  runTitle,
  valueNumber,
  valueText,
} from '../../presentation/runs/runText.ts';
import { costText } from '../../presentation/sessions/sessionText.ts';
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import { formatDuration, formatValue, oneLine, formatTokens } from '../../base/text.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import type { GpuTime } from '../../machines/resources/gpuTimes.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { code, plain } from '../../base/markdown.ts';
import { exactTime } from '../../base/localTime.ts';
import { formatSpan, relativeTime } from '../../base/span.ts';
import { verdictIcon, type Icon } from '../ui/icons.ts';

export interface RunRowPlace {
  readonly sessionId: string;
  readonly decisive: Ledger['decisive'];
  readonly nowMs: number;
  /**
   * Prefix of the row's id: a run has a row in the Experiments tree and one in the Machines tree.
   */
  readonly idPrefix: string;
  readonly facts?: FactsOf | undefined;
}

/**
 * Returns the label of a row: the value, then what was varied. The value comes first, because a
 * narrow side bar cuts the end.
 */
export const rowLabel = (value: string | undefined, varied: string): string =>
  [value ?? '', oneLine(varied, 80)].filter((part) => part !== '').join(' · ');

export function runRow(row: LedgerRow, place: RunRowPlace): TreeNode {
  const facts = place.facts?.(row.runId);
  const state = stateText(row, facts);
  const value = place.decisive && valueText(row.metrics, place.decisive);
  const isChampion = row.isChampion && row.verdict !== undefined;
  const description = [
    runName(row.number),
    isChampion ? 'champion' : '',
    row.verdict === undefined ? (row.alarm?.detail ?? '') : '',
    ...progress(row, facts, place.nowMs),
  ].filter((part) => part !== '');
  return {
    id: `${place.idPrefix}/${row.runId}`,
    label: rowLabel(place.decisive && valueNumber(row.metrics, place.decisive), row.label),
    description: description.join(' · '),
    tooltip: tooltip(row, state, facts),
    icon: icon(row, facts),
    context: `run ${row.verdict ? 'ended' : 'running'}`,
    spoken: `${runTitle(row.number)}, ${state}${row.verdict === undefined && row.alarm ? `, alarm: ${row.alarm.detail}` : ''}${isChampion ? ', champion' : ''}${value ? `, ${value}` : ''}, ${row.label}, on ${row.machineId}`,
    target: { kind: 'run', runId: row.runId, sessionId: place.sessionId },
    onClick: 'helios.showMetrics',
  };
}

function icon(row: LedgerRow, facts: RunFacts | undefined): Icon {
  if (row.isChampion && row.verdict) return { id: 'star-full', color: 'charts.yellow' };
  if (row.verdict === undefined && facts?.liveness.kind === 'queued')
    return { id: 'clock', color: 'charts.blue' };
  if (row.verdict === undefined && facts?.liveness.kind === 'unknown')
    return { id: 'debug-disconnect', color: 'charts.yellow' };
  if (row.verdict === undefined && row.alarm !== undefined)
    return { id: 'warning', color: 'charts.yellow' };
  return verdictIcon(row.verdict);
}

function stateText(row: LedgerRow, facts: RunFacts | undefined): string {
  if (row.verdict !== undefined || facts === undefined) return rowStatus(row);
  return oneLine(livenessText(facts.liveness, row.machineId, row.alarm), 120);
}

/**
 * Returns two texts: the run's status, and the time since its start or end. The status is empty for
 * a running or successful run, because the icon shows it. The time is empty for a queued run.
 */
function progress(row: LedgerRow, facts: RunFacts | undefined, nowMs: number): string[] {
  const state = stateText(row, facts);
  const isPlain = row.verdict === undefined ? state === 'running' : row.verdict.kind === 'ok';
  const isQueued = row.verdict === undefined && facts?.liveness.kind === 'queued';
  return [isPlain ? '' : state, isQueued ? '' : timeText(row, nowMs)];
}

function timeText(row: LedgerRow, nowMs: number): string {
  if (row.verdict === undefined)
    return row.startedMs === undefined ? '' : formatSpan(nowMs - row.startedMs);
  return row.endedMs === undefined ? '' : relativeTime(row.endedMs, nowMs);
}

const maxMetrics = 8;

function tooltip(row: LedgerRow, state: string, facts: RunFacts | undefined): string {
  const times = [
    row.startedMs === undefined ? '' : `Started ${exactTime(row.startedMs)}`,
    row.endedMs === undefined ? '' : `ended ${exactTime(row.endedMs)}`,
    row.startedMs === undefined || row.endedMs === undefined
      ? ''
      : formatDuration(row.endedMs - row.startedMs),
  ].filter((part) => part !== '');
  const metrics = row.metrics.slice(0, maxMetrics).map(metricRow);
  return [
    `**${runTitle(row.number)}** ${plain(state)}${row.isChampion ? ' · champion' : ''}`,
    code(row.command, 300),
    `${plain(row.machineId)}${row.handle ? ` · ${code(row.handle)}` : ''}`,
    times.join(' · '),
    row.alarm === undefined ? '' : `Alarm: ${plain(row.alarm.detail, 300)}`,
    row.envId === undefined ? '' : `Environment ${plain(row.envId)}`,
    row.cost === undefined
      ? ''
      : `Thinking ${costText(row.cost)} · ${formatTokens(row.cost.tokens)} tokens`,
    gpuTimeText(facts?.gpuTime),
    metrics.length === 0
      ? ''
      : ['| Metric | Last | Best | Points |', '| :-- | --: | --: | --: |', ...metrics].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns the share of GPU idle time as text; empty if less than one second was measured. */
const gpuTimeText = (time: GpuTime | undefined): string =>
  time === undefined || time.watchedSeconds < 1
    ? ''
    : `GPU idle ${Math.round((100 * time.idleSeconds) / time.watchedSeconds)} % of ${formatDuration(time.watchedSeconds * 1000)} measured`;

const metricRow = (row: MetricSummary): string =>
  `| ${plain(row.metric, 40)} | ${formatValue(row.last)} | ${row.direction === 'none' ? '' : formatValue(row.best)} | ${row.count} |`;
