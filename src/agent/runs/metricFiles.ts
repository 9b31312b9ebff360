import path from 'node:path';
import { ToolFailure } from '../../base/errors.ts';
import { runName, type RunSpec } from '../../runs/run.ts';
import type { SessionState } from '../journal/state.ts';

/**
 * Throws `ToolFailure` if an active run of the session writes its metrics to a path to which this
 * run would write them, because the metrics of both would mix.
 */
export function checkMetricFiles(spec: RunSpec, { runs }: SessionState): void {
  const paths = metricFiles(spec);
  if (paths.length === 0) return;
  for (const { spec: other, verdict, notStarted } of runs.values()) {
    if (verdict !== undefined || notStarted !== undefined) continue;
    if (other.machineId !== spec.machineId) continue;
    const shared = metricFiles(other).find((each) => paths.includes(each));
    if (shared !== undefined)
      throw new ToolFailure(
        `${shared} of metrics_from belongs to ${runName(other.number)}, which has not ended, so the metrics of both would mix. Let each run write to a path of its own. Nothing was started.`,
      );
  }
}

const metricFiles = ({ cwd, metrics }: RunSpec): readonly string[] =>
  (metrics.from ?? []).map((each) => path.posix.resolve(cwd, each));
