/** Converts a session to the state that the metrics panel shows. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import type { MetricSummary } from '../../metrics/metric.ts';
import {
  groupLabel,
  groupName,
  groupStatistics,
  pooledSpread,
  runGroups,
  seedOf,
  statisticsText,
  type RunGroup,
} from '../../presentation/runs/runGroups.ts';
import { parametersOf } from '../../presentation/runs/settingColumns.ts';
import { countedValue, summaryFor, rowStatus, runName } from '../../presentation/runs/runText.ts';
import { formatValue, oneLine } from '../../base/text.ts';
import type {
  PanelGroup,
  PanelMetric,
  PanelMetricValue,
  PanelRun,
  PanelState,
} from '../../protocol/metricsPanel.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { isOpen, sessionName } from '../../presentation/sessions/sessionText.ts';

export const emptyPanelState: PanelState = {
  sessionId: '',
  title: 'No session',
  isOpen: false,
  runs: [],
  groups: [],
  ranking: [],
  metrics: [],
};

export function panelState({ state, ledger }: OpenSessionView): PanelState {
  const groups = runGroups(ledger);
  const numbers = new Map(
    groups.flatMap(({ number, rows }) => rows.map(({ runId }) => [runId, number] as const)),
  );
  return {
    sessionId: state.id,
    title: oneLine(sessionName(state), 120),
    isOpen: isOpen(state),
    runs: ledger.rows.map((row) => panelRun(row, numbers.get(row.runId) ?? 0)),
    groups: groups.filter(({ rows }) => rows.length > 1).map(panelGroup),
    ranking: rankingOf(groups, ledger),
    ...decisiveOf(groups, ledger),
    metrics: panelMetrics({ state, ledger }),
  };
}

function panelGroup(group: RunGroup): PanelGroup {
  const names = new Set(group.rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)));
  const text = (metric: string, pick: (summary: MetricSummary) => number): string => {
    const statistics = groupStatistics(group, metric, pick);
    return statistics === undefined ? '' : statisticsText(statistics);
  };
  return {
    number: group.number,
    runIds: group.rows.map(({ runId }) => runId),
    name: groupName(group),
    label: groupLabel(group),
    metrics: Object.fromEntries(
      [...names].map((name) => [
        name,
        { last: text(name, ({ last }) => last), best: text(name, ({ best }) => best) },
      ]),
    ),
  };
}

/**
 * Returns the numbers of the groups that have a value of the deciding metric, the best first. Runs
 * that failed do not count.
 */
function rankingOf(groups: readonly RunGroup[], { decisive }: Ledger): readonly number[] {
  if (decisive === undefined) return [];
  const { metric, direction } = decisive;
  const sign = direction === 'higher' ? -1 : 1;
  return groups
    .flatMap(({ number, rows }) => {
      const sound = rows.filter(({ verdict }) => verdict === undefined || verdict.kind === 'ok');
      const valueOf = (summary: MetricSummary): number => countedValue(summary, decisive);
      const statistics = groupStatistics({ number, rows: sound }, metric, valueOf);
      return statistics === undefined ? [] : [{ number, mean: statistics.mean }];
    })
    .toSorted((a, b) => sign * (a.mean - b.mean))
    .map(({ number }) => number);
}

function decisiveOf(
  groups: readonly RunGroup[],
  { decisive, best }: Ledger,
): Pick<PanelState, 'decisive'> {
  if (decisive === undefined) return {};
  const { metric, rule } = decisive;
  const pooled = pooledSpread(groups, metric, (summary) => countedValue(summary, decisive));
  return {
    decisive: {
      metric,
      rule,
      ...(best && { champion: best.mean }),
      ...(pooled !== undefined && { pooled }),
    },
  };
}

function panelRun(row: LedgerRow, group: number): PanelRun {
  const { startedMs, endedMs, cost } = row;
  const seed = seedOf(row);
  return {
    id: row.runId,
    number: row.number,
    group,
    name: runName(row.number),
    label: row.label,
    machine: row.machineId,
    isRunning: row.verdict === undefined,
    status: rowStatus(row),
    isGood: row.verdict === undefined || row.verdict.kind === 'ok',
    isChampion: row.isChampion,
    parameters: Object.fromEntries(parametersOf(row)),
    ...(seed !== undefined && { seed }),
    ...(startedMs !== undefined && endedMs !== undefined && { durationMs: endedMs - startedMs }),
    ...(cost && { usd: cost.usd }),
    metrics: valuesOf(row),
  };
}

const valuesOf = ({ metrics }: LedgerRow): Readonly<Record<string, PanelMetricValue>> =>
  Object.fromEntries(
    metrics.map(({ metric, last, best, count }) => [
      metric,
      { last: formatValue(last), best: formatValue(best), points: count },
    ]),
  );

function goalValue(
  { metrics }: LedgerRow,
  name: string,
  target: SessionState['target'],
): Pick<PanelMetric, 'target'> {
  const condition = target?.conditions.find(
    ({ metric, isRelative }) => !isRelative && summaryFor(metrics, metric)?.metric === name,
  );
  return condition === undefined ? {} : { target: condition.value };
}

function championBand({ best }: Ledger, name: string): Pick<PanelMetric, 'champion'> {
  if (best?.spread === undefined) return {};
  const isOf = best.runs.some(({ metrics }) => summaryFor(metrics, best.metric)?.metric === name);
  return isOf ? { champion: { mean: best.mean, spread: best.spread } } : {};
}

/**
 * Returns the metrics in this order: the metric of the session's target, the ledger's deciding
 * metric, metrics with a direction (lower or higher is better), metrics without a direction.
 * Metrics of the same rank are in the order in which they appeared.
 */
function panelMetrics({ state, ledger }: OpenSessionView): readonly PanelMetric[] {
  const { target } = state;
  const byName = new Map<string, PanelMetric>();
  for (const row of ledger.rows) {
    for (const { metric: name, direction } of row.metrics) {
      if (byName.has(name)) continue;
      byName.set(name, {
        name,
        direction,
        ...goalValue(row, name, target),
        ...championBand(ledger, name),
      });
    }
  }
  const rank = (metric: PanelMetric): number =>
    metric.target !== undefined
      ? 0
      : metric.name === ledger.decisive?.metric
        ? 1
        : metric.direction === 'none'
          ? 3
          : 2;
  return [...byName.values()].sort((a, b) => rank(a) - rank(b));
}
