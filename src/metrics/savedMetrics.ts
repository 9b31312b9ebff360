import { stat } from 'node:fs/promises';
import type { MetricSpec } from './metric.ts';
import { RunMetrics } from './runMetrics.ts';

/**
 * Reads the metrics of an ended run from the files in `folder`, and closes the files; `undefined`
 * if the folder does not exist. Do not call this for a live run, whose files are still being
 * written.
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
