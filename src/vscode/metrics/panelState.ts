/** Converts a session to the state that the metrics panel shows. */
import type { LedgerRow } from '../../experiments/ledger.ts';
import { summaryFor, runStatusText } from '../../presentation/runs/runText.ts';
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
    runs: ledger.rows.map((row) => panelRun(row, state.startedMs)),
    metrics: panelMetrics({ state, ledger }),
  };
}

function panelRun(row: LedgerRow, sessionStartedMs: number): PanelRun {
  return {
    id: row.runId,
    name: `run ${row.number}`,
    label: row.label,
    machine: row.machineId,
    isRunning: row.verdict === undefined,
    status: runStatusText(row),
    isGood: row.verdict === undefined || row.verdict.kind === 'ok',
    isChampion: row.isChampion,
    startedMs: row.startedMs ?? sessionStartedMs,
    metrics: Object.fromEntries(
      row.metrics.map((summary): [string, PanelMetricValue] => [
        summary.metric,
        { last: formatValue(summary.last), best: formatValue(summary.best), points: summary.count },
      ]),
    ),
  };
}

/**
 * Returns the metrics in this order: the goal's metric, metrics with a direction, all others.
 * Within each group, the order of appearance applies.
 */
function panelMetrics({ state, ledger }: OpenSessionView): readonly PanelMetric[] {
  const { target } = state;
  const found = new Map<string, PanelMetric>();
  for (const row of ledger.rows) {
    const aimed = target && summaryFor(row.metrics, target.metric)?.metric;
    for (const { metric: name, direction } of row.metrics) {
      if (found.has(name)) continue;
      found.set(name, {
        name,
        direction,
        ...(name === aimed && target && { target: target.value }),
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
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}
