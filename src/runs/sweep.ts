/** Types of sweeps. A sweep runs one command with many values, one run per point. */
import type { MetricSpec } from '../metrics/metric.ts';
import type { RunLimit } from './run.ts';

export type ParamValue = string | number | boolean;

export interface SweepPoint {
  readonly params: Readonly<Record<string, ParamValue>>;
  /** The command with its values in place, as the shell gets it. */
  readonly command: string;
  /** `lr=3e-4 bs=64` */
  readonly label: string;
}

/** The whole request. Only the machine and the time of each point are decided later. */
export interface SweepPlan {
  /** `s1`, `s2` … within its session. */
  readonly id: string;
  /** The names of the parameters. */
  readonly params: readonly string[];
  /**
   * At most `maxPoints`, no two with the same command. The position in this list is the index of a
   * point.
   */
  readonly points: readonly SweepPoint[];
  /** A machine with a scheduler must be the only one. */
  readonly machineIds: readonly string[];
  /**
   * Folder of the runs: `~` and relative paths are resolved on each machine. Default: the working directory
   * of the machine.
   */
  readonly cwd?: string;
  readonly metrics: MetricSpec;
  /** Bound for all machines together. Default: what each machine has room for. */
  readonly maxParallel?: number;
  /** Default: one on a machine with GPUs. */
  readonly gpusPerRun?: number;
  /** Limit of each point. */
  readonly limit?: RunLimit;
  /** Seed of the random values. */
  readonly seed?: number;
  /** Id of the experiment that the runs belong to: `e7`. */
  readonly experimentId?: string;
}

export const maxPoints = 1000;

/**
 * - `done`: every point has run or was skipped
 * - `stopped`: by the agent or the user
 * - `budget`: the minutes of the session are used up
 * - `session_ended`
 */
export type SweepEndReason = 'done' | 'stopped' | 'budget' | 'session_ended';
