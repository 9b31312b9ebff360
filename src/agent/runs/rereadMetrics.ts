import type { RunId } from '../../base/ids.ts';
import { checkMetricSpec } from '../../metrics/lines/metricSpec.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface RereadDeps {
  readonly log: Pick<SessionLog, 'record'>;
  readonly runs: Pick<Runs, 'get' | 'reread'>;
}

/**
 * Reads the output of a run again with more patterns; keeps the metrics that were read before.
 * Rejects with `MetricSpecError`, `MetricsError` and `MachineFailure`.
 */
export async function rereadMetrics(
  { log, runs }: RereadDeps,
  runId: RunId,
  patterns: Readonly<Record<string, string>>,
): Promise<void> {
  const run = runs.get(runId);
  if (run === undefined) return;
  const { names = [], ...spec } = run.spec.metrics;
  const read = run.metrics.names();
  const metrics: MetricSpec = {
    ...spec,
    // Names would end the detection of metrics.
    ...(names.length > 0 && { names: [...new Set([...names, ...read])] }),
    patterns: { ...spec.patterns, ...patterns },
  };
  checkMetricSpec(metrics);
  await runs.reread(runId, metrics, () =>
    log.record({ type: 'run.metrics_changed', runId, metrics }),
  );
  if (run.liveness.kind === 'ended')
    await log.record({
      type: 'run.metrics_changed',
      runId,
      metrics,
      read: run.metrics.summaries(),
    });
}
