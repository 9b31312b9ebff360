/** Types of sweeps. A sweep runs one command with many values, one run per point. */
import type { MetricSpec } from '../metrics/metric.ts';
import type { RunLimit } from './run.ts';

export type ParamValue = string | number | boolean;

export interface SweepPoint {
  readonly params: Readonly<Record<string, ParamValue>>;
  /** The shell command of the point, with the values of the parameters inserted. */
  readonly command: string;
  /**
   * The command with a placeholder for the seed, if the seed is not the value of an option that
   * commands of this form have for it.
   */
  readonly setting?: string;
  /** Parameters of the point and their values: `lr=3e-4 bs=64`. */
  readonly label: string;
  /** Files and folders with the metrics of the point; see `MetricSpec`. */
  readonly metricsFrom?: readonly string[];
}

/** The complete plan of a sweep, except on which machine and when each point runs. */
export interface SweepPlan {
  /** Id of the sweep within its session: `s1`, `s2` … */
  readonly id: string;
  /** Names of the parameters that vary. */
  readonly params: readonly string[];
  /**
   * The points to run: at most `maxPoints`, no two with the same command. The index of a point is
   * its position in this list.
   */
  readonly points: readonly SweepPoint[];
  /** Machines that run the points. A machine with a scheduler must be the only one in the list. */
  readonly machineIds: readonly string[];
  /**
   * Working directory of the runs. `~` and relative paths are resolved on each machine. Default:
   * the working directory of the machine.
   */
  readonly cwd?: string;
  readonly metrics: MetricSpec;
  /**
   * Maximum number of runs at a time on all machines together. Default: no limit besides the free
   * slots and GPUs of each machine.
   */
  readonly maxParallel?: number;
  /** Number of GPUs per run. Default: one on a machine with GPUs. */
  readonly gpusPerRun?: number;
  /** Time limit of each run. */
  readonly limit?: RunLimit;
  /** Seed for random parameter values. */
  readonly seed?: number;
  /** Id of the experiment that the runs belong to, such as `e7`. */
  readonly experimentId?: string;
}

export const maxPoints = 1000;

/**
 * - `done`: every point has run or was skipped
 * - `stopped`: by the agent or the user
 * - `budget`: the time budget of the session is used up
 * - `session_ended`: the session has ended
 */
export type SweepEndReason = 'done' | 'stopped' | 'budget' | 'session_ended';
