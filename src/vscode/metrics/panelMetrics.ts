/** The metrics of a session as the metrics panel shows them. */
import type { SessionState } from '../../agent/journal/state.ts';
import type { Ledger, LedgerRow } from '../../experiments/ledger.ts';
import { summaryFor } from '../../presentation/runs/runText.ts';
import type { PanelMetric } from '../../protocol/metricsPanel.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';

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
export function panelMetrics({ state, ledger }: OpenSessionView): readonly PanelMetric[] {
  const { target } = state;
  const byName = new Map<string, PanelMetric>();
  const counters = countersOf(ledger);
  for (const row of ledger.rows) {
    for (const { metric: name, direction } of row.metrics) {
      if (byName.has(name)) continue;
      byName.set(name, {
        name,
        direction,
        ...(counters.has(name) && { isCounter: true as const }),
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

/**
 * Returns the metrics without a direction whose last value is the highest in each run, and which
 * change. Whether they never decrease is seen where their points are read.
 */
function countersOf({ rows }: Ledger): ReadonlySet<string> {
  const grows = new Map<string, boolean>();
  const others = new Set<string>();
  for (const { metric, direction, last, min, max, firstNonFinite } of rows.flatMap(
    ({ metrics }) => metrics,
  )) {
    if (direction !== 'none' || last !== max || firstNonFinite !== undefined) others.add(metric);
    grows.set(metric, grows.get(metric) === true || min < max);
  }
  return new Set([...grows].flatMap(([name, does]) => (does && !others.has(name) ? [name] : [])));
}
