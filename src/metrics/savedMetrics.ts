import { stat } from 'node:fs/promises';
import type { MetricSpec } from './metric.ts';
import { RunMetrics } from './runMetrics.ts';

/**
 * The points of a run that is over, from its files in `folder`; `undefined` where there is no such
 * folder. They stay readable, and no file is held. Never for a run that goes on: somebody else
 * writes those files.
 */
export async function readSavedMetrics(
  folder: string,
  spec: MetricSpec,
): Promise<RunMetrics | undefined> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const metrics = await RunMetrics.open(folder, spec);
  metrics.dispose();
  return metrics;
}
