/** Parameters for the metrics, the resources and the time limit of a run. */
import * as z from 'zod';
import type { RunLimit, RunResources } from '../../runs/run.ts';

export const metricDirections = z
  .record(z.string().min(1), z.enum(['lower', 'higher']))
  .optional()
  .describe('Metric → lower or higher: which values are better, where the name does not tell.')
  .meta({ isOpaque: true });

export const metricsFrom = z
  .array(z.string().min(1).max(1000))
  .min(1)
  .max(16)
  .optional()
  .describe(
    'Files or folders with its metrics, read instead of stdout: CSV, JSON lines, TensorBoard, W&B, MLflow, Trackio.',
  );

const maxMinutes = 366 * 24 * 60;

export const limitParameters = {
  max_minutes: z
    .number()
    .positive()
    .max(maxMinutes)
    .optional()
    .describe('Time limit, enforced by the machine: TERM, and KILL 10 s later.'),
  limit_from: z
    .enum(['launch', 'first_metric'])
    .optional()
    .describe('What starts the clock of max_minutes. Default: launch.'),
};

export const resourceParameters = {
  gpus: z
    .int()
    .min(0)
    .max(1024)
    .optional()
    .describe('GPUs that only this run uses and sees. Default: all, shared with other runs.'),
  cpus: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe('CPU cores under Slurm; OMP_NUM_THREADS elsewhere.'),
  memory_gb: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Under Slurm.')
    .meta({ needs: 'machines' }),
};

/**
 * Returns the parameters without descriptions, for a tool whose parameters the model knows from
 * another tool.
 */
export const undescribed = <Shape extends Readonly<Record<string, z.ZodType>>>(
  shape: Shape,
): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, one]) => [name, one.describe('')]),
  ) as Record<string, z.ZodType> as Shape;

interface LimitArgs {
  readonly max_minutes?: number | undefined;
  readonly limit_from?: RunLimit['from'] | undefined;
}

interface ResourceArgs {
  readonly gpus?: number | undefined;
  readonly cpus?: number | undefined;
  readonly memory_gb?: number | undefined;
}

export const limitOf = ({
  max_minutes: minutes,
  limit_from: from = 'launch',
}: LimitArgs): { limit?: RunLimit } =>
  minutes === undefined ? {} : { limit: { ms: Math.ceil(minutes * 60_000), from } };

export function resourcesOf({ gpus, cpus, memory_gb: memoryGb }: ResourceArgs): {
  resources?: RunResources;
} {
  const resources = {
    ...(gpus !== undefined && { gpus }),
    ...(cpus !== undefined && { cpus }),
    ...(memoryGb !== undefined && { memoryMb: Math.ceil(memoryGb * 1024) }),
  };
  return Object.keys(resources).length > 0 ? { resources } : {};
}
