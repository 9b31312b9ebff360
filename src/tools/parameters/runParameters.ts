/** Parameters for the metrics, the resources and the time limit of a run. */
import * as z from 'zod';
import type { RunLimit, RunResources } from '../../runs/run.ts';

export const metricDirections = z
  .record(z.string().min(1), z.enum(['lower', 'higher']))
  .optional()
  .describe('Metric name → which values are better, where the name does not tell.');

const maxMinutes = 366 * 24 * 60;

export const limitParameters = {
  max_minutes: z
    .number()
    .positive()
    .max(maxMinutes)
    .optional()
    .describe(
      'Time limit in minutes; may be a fraction. The machine itself enforces it: TERM, then KILL after 10 s (time to save). The verdict is "time limit reached".',
    ),
  limit_from: z
    .enum(['launch', 'first_metric'])
    .optional()
    .describe(
      'When the clock of max_minutes starts; first_metric excludes compiling and loading. Default: launch.',
    ),
};

export const resourceParameters = {
  gpus: z
    .int()
    .min(0)
    .max(1024)
    .optional()
    .describe(
      'Number of GPUs that only this run uses; it sees no other GPUs. With 0, it sees none. Default: all GPUs, shared with other runs.',
    ),
  cpus: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe(
      'Number of CPU cores to request from Slurm; on other machines, the value of OMP_NUM_THREADS.',
    ),
  memory_gb: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Memory in GB to request from Slurm; ignored on other machines.'),
};

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
