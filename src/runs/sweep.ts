/** The words of sweeps: one command tried with many values, one run per point. */
import type { MetricSpec } from '../metrics/metric.ts';
import type { RunLimit } from './run.ts';

export type ParamValue = string | number | boolean;

export interface SweepPoint {
  readonly params: Readonly<Record<string, ParamValue>>;
  /** With the values in place, as the shell gets it. */
  readonly command: string;
  /** `lr=3e-4 bs=64` */
  readonly label: string;
}

/**
 * What was asked for, whole: nothing of it is decided later but which machine runs a point, and
 * when.
 */
export interface SweepPlan {
  /** `s1`, `s2` … within its session. */
  readonly id: string;
  /** The names of the parameters. */
  readonly params: readonly string[];
  /** At most `mostPoints`, no two with the same command; the index of a point is its place here. */
  readonly points: readonly SweepPoint[];
  /** A scheduler stands here alone. */
  readonly machineIds: readonly string[];
  /**
   * As it was given: `~` and relative ones are resolved on each machine. Absent: where commands
   * start there.
   */
  readonly cwd?: string;
  readonly metrics: MetricSpec;
  /** Of all machines together. Absent: as many as each machine has room for. */
  readonly maxParallel?: number;
  /** Absent: one where the machine has GPUs. */
  readonly gpusPerRun?: number;
  /** Of each point. */
  readonly limit?: RunLimit;
  /** Of the random values. */
  readonly seed?: number;
  /** The experiment that its runs belong to: `e7`. */
  readonly experimentId?: string;
}

export const maxPoints = 1000;

/**
 * - `done`: every point has run or was left out · `stopped`: by the agent or the user
 * - `budget`: the minutes of the session are over · `session_ended`
 */
export type SweepEndReason = 'done' | 'stopped' | 'budget' | 'session_ended';
