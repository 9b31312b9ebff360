/** Converts a session to the state that the metrics panel shows. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import { summaryFor, rowStatus, runName } from '../../presentation/runs/runText.ts';
import { formatValue, oneLine } from '../../base/text.ts';
import type {
  PanelMetric,
  PanelMetricValue,
  PanelRun,
  PanelState,
} from '../../protocol/metricsPanel.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';

export const emptyPanelState: PanelState = {
  sessionId: '',
  title: 'No session',
  runs: [],
  metrics: [],
};

export function panelState({ state, ledger }: OpenSessionView): PanelState {
  return {
    sessionId: state.id,
    title: oneLine(state.goal, 120),
    runs: ledger.rows.map(panelRun),
    metrics: panelMetrics({ state, ledger }),
  };
}

function panelRun(row: LedgerRow): PanelRun {
  return {
    id: row.runId,
    number: row.number,
    name: runName(row.number),
    label: row.label,
    machine: row.machineId,
    isRunning: row.verdict === undefined,
    status: rowStatus(row),
    isGood: row.verdict === undefined || row.verdict.kind === 'ok',
    isChampion: row.isChampion,
    metrics: Object.fromEntries(
      row.metrics.map((summary): [string, PanelMetricValue] => [
        summary.metric,
        { last: formatValue(summary.last), best: formatValue(summary.best), points: summary.count },
      ]),
    ),
  };
}

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
