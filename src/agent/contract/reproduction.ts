/** Re-runs of an experiment and their outcome. */
import type { RunAlarm, Verdict } from '../../runs/run.ts';

export interface ReproduceRequest {
  /** Id of the experiment, such as `e7`. */
  readonly experimentId: string;
  /**
   * Largest relative difference from the earlier value that counts as the same result; 0.01 means 1
   * %. Default: a difference within the spread of the earlier runs counts as the same result.
   */
  readonly tolerance?: number;
  readonly signal?: AbortSignal;
}

/**
 * Whether the new value agrees with the earlier runs.
 * - `identical`: equal to the value of the run with the same command
 * - `within_spread` · `outside_spread`: compared with two standard deviations of the earlier runs
 * - `within_tolerance` · `outside_tolerance`: compared with the given tolerance
 * - `not_judged`: there is only one earlier run, and no tolerance was given
 */
export type Judgement =
  | 'identical'
  | 'within_spread'
  | 'outside_spread'
  | 'within_tolerance'
  | 'outside_tolerance'
  | 'not_judged';

export interface ComparedMetric {
  readonly metric: string;
  /**
   * Number of the earlier run with the same command and seed; omitted if none or several had this
   * command.
   */
  readonly run?: number;
  /**
   * The value of `run` or, without such a run, the mean over the earlier runs. For the decisive
   * metric the last or best value of a run, as its rule says; for other metrics the last one.
   */
  readonly before: number;
  /** Standard deviation over the seeds of the earlier runs; omitted if `n` is 1. */
  readonly spread?: number;
  /** Number of seeds of the earlier runs or, if they have one seed, of these runs. */
  readonly n: number;
  readonly now: number;
  /** `now` minus `before`. */
  readonly delta: number;
  readonly judgement: Judgement;
}

export interface Reproduction {
  readonly experimentId: string;
  /** Number of the new run. */
  readonly run: number;
  readonly verdict: Verdict;
  /** The seed that ran again; omitted if the runs of the result name none. */
  readonly seed?: string;
  /** Number of runs, each with its own seed if `seed` is set, on which the result is based. */
  readonly repeats: number;
  /** The alarm that ended the run. */
  readonly alarm?: RunAlarm;
  readonly metrics: readonly ComparedMetric[];
  /** Sentences that list what could not be reproduced exactly. */
  readonly differences: readonly string[];
}
