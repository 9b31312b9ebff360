import type { RunId } from '../../base/ids.ts';
import { summaryFor } from '../../experiments/ledger.ts';
import type { Target } from '../../experiments/target/target.ts';
import { MachineFailure } from '../../machines/machine.ts';
import { checkMetricSpec } from '../../metrics/lines/metricSpec.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import { MetricsError } from '../../metrics/metricsError.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { lineNearest } from './endOutput.ts';
import type { SessionRuns } from './sessionRuns.ts';
import { withTargetMetrics } from './targetMetrics.ts';

export interface RereadDeps {
  readonly log: Pick<SessionLog, 'record'>;
  readonly runs: Pick<Runs, 'get' | 'reread'>;
}

interface TargetReadDeps extends RereadDeps {
  readonly runs: Pick<Runs, 'get' | 'reread' | 'output'>;
  readonly sessionRuns: Pick<SessionRuns, 'all'>;
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
  await rereadAs({ log, runs }, run, metrics);
}

/**
 * Reads the output of runs again where it seems to name a metric of the target that was never read
 * from it. Leaves out runs whose machine does not answer.
 */
export async function readForTarget(
  { log, runs, sessionRuns }: TargetReadDeps,
  target: Target,
): Promise<void> {
  for (const run of sessionRuns.all()) {
    const metrics = withTargetMetrics(run.spec.metrics, target);
    if (metrics === run.spec.metrics || metrics.from !== undefined) continue;
    try {
      if (await mayHold(runs, run, metrics)) await rereadAs({ log, runs }, run, metrics);
    } catch (error) {
      if (!(error instanceof MachineFailure || error instanceof MetricsError)) throw error;
    }
  }
}

/** Resolves with whether the output seems to name a metric that was never read from it. */
async function mayHold(
  runs: Pick<Runs, 'output'>,
  run: Run,
  { also = [] }: MetricSpec,
): Promise<boolean> {
  const read = run.metrics.summaries();
  const unread = also.filter((name) => summaryFor(read, name) === undefined);
  return unread.length > 0 && (await lineNearest(runs, run, unread)) !== undefined;
}

async function rereadAs({ log, runs }: RereadDeps, run: Run, metrics: MetricSpec): Promise<void> {
  const runId = run.spec.id;
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
