/** An experiment that is run again, and what came of it. */
import type { Verdict } from '../../runs/run.ts';

export interface ReproduceRequest {
  /** `e7` */
  readonly experimentId: string;
  /**
   * Share of the value before that counts as the same, such as 0.01; absent: only the spread of
   * repeats does.
   */
  readonly tolerance?: number;
  readonly signal?: AbortSignal;
}

/**
 * - `within_spread` · `outside_spread`: of the repeats that were measured before, two standard
 *   deviations
 * - `within_tolerance` · `outside_tolerance`: of the tolerance that was given
 * - `not_judged`: there was one run, and no tolerance
 */
export type Judgement =
  'within_spread' | 'outside_spread' | 'within_tolerance' | 'outside_tolerance' | 'not_judged';

export interface ComparedMetric {
  readonly metric: string;
  /**
   * Mean of the runs before, of each its best value where the metric has a direction, else its
   * last.
   */
  readonly before: number;
  readonly spread?: number;
  readonly n: number;
  readonly now: number;
  readonly delta: number;
  readonly judgement: Judgement;
}

export interface Reproduction {
  readonly experimentId: string;
  /** Of the run that was made. */
  readonly run: number;
  readonly verdict: Verdict;
  readonly metrics: readonly ComparedMetric[];
  /** What could not be the same, in sentences. */
  readonly differences: readonly string[];
}
