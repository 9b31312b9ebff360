import { stat } from 'node:fs/promises';
import type { MetricSpec } from './metric.ts';
import { RunMetrics } from './runMetrics.ts';

/**
 * Reads the points of an ended run from its files in `folder`; `undefined` where the folder does
 * not exist. Points stay readable, and no file is kept open. Never call it for a live run, whose
 * files are still being written.
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
