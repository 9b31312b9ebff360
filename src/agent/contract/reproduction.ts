/** Re-runs of an experiment and their outcome. */
import type { Verdict } from '../../runs/run.ts';

export interface ReproduceRequest {
  /** `e7` */
  readonly experimentId: string;
  /**
   * Share of the earlier value that counts as the same, such as 0.01. Default: only the spread of
   * repeats counts.
   */
  readonly tolerance?: number;
  readonly signal?: AbortSignal;
}

/**
 * - `within_spread` · `outside_spread`: two standard deviations of the earlier repeats
 * - `within_tolerance` · `outside_tolerance`: the given tolerance
 * - `not_judged`: only one earlier run, and no tolerance
 */
export type Judgement =
  'within_spread' | 'outside_spread' | 'within_tolerance' | 'outside_tolerance' | 'not_judged';

export interface ComparedMetric {
  readonly metric: string;
  /**
   * Mean over the earlier runs: of their best values where the metric has a direction, else of
   * their last values.
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
  /** Number of the new run. */
  readonly run: number;
  readonly verdict: Verdict;
  readonly metrics: readonly ComparedMetric[];
  /** Sentences on what could not be reproduced exactly. */
  readonly differences: readonly string[];
}
