/** The words of metrics: a metric is a named series of (step, time, value) of one run. */

/**
 * What to look for in a run's output. Neither given: metrics are detected. Patterns win over names.
 */
export interface MetricSpec {
  readonly names?: readonly string[];
  /** Metric name → regular expression with one capture group for the value (case-insensitive). */
  readonly patterns?: Readonly<Record<string, string>>;
  /** Metric name → which way is better, where its name says it wrong or not at all. */
  readonly directions?: Readonly<Record<string, Direction>>;
}

export interface MetricPoint {
  readonly metric: string;
  /** NaN where the output names no step. */
  readonly step: number;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  /** NaN and ±Infinity are values. */
  readonly value: number;
}

export type Trend = 'increasing' | 'decreasing' | 'plateau' | 'unstable' | 'insufficient_data';

/**
 * `lower`: less is better (loss); `higher`: more is better (accuracy); `none`: neither (lr, step
 * time).
 */
export type Direction = 'lower' | 'higher' | 'none';

/**
 * Of all points of one metric of one run. min, max, mean are over finite values; NaN when there are
 * none.
 */
export interface MetricSummary {
  readonly metric: string;
  readonly count: number;
  readonly last: number;
  readonly lastStep: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /**
   * The value of `min` or `max` that is better by direction; `last` where there is no direction.
   */
  readonly best: number;
  readonly direction: Direction;
  /** Position of the first NaN or ±Inf: its step where known, else its 0-based index. */
  readonly firstNonFinite?: {
    readonly index: number;
    readonly step: number;
    readonly value: number;
  };
}

/** Parallel columns of one series, oldest first. */
export interface SeriesColumns {
  readonly steps: Float64Array;
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}
