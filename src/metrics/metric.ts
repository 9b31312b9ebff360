/** Types of metrics. A metric is a named series of (step, time, value) of one run. */

/**
 * Metrics to search for in the output of a run: `patterns`, and the `names` that have no pattern. If
 * there are no names, metrics without a pattern are detected.
 */
export interface MetricSpec {
  readonly names?: readonly string[];
  /**
   * Maps metric names to regular expressions with one capture group for the value
   * (case-insensitive).
   */
  readonly patterns?: Readonly<Record<string, string>>;
  /**
   * Files and folders with metrics on the machine of the run, absolute or relative to its working
   * directory. They are read instead of the output.
   */
  readonly from?: readonly string[];
  /**
   * Metrics that the target of the session needs. They are read in addition, but only from lines
   * that contain nothing else, such as `parameters 49`; counters from any line: `epoch 3/6`.
   */
  readonly also?: readonly string[];
  /** Maps metric names to directions. Default: the direction that the name suggests. */
  readonly directions?: Readonly<Record<string, Direction>>;
}

export interface MetricPoint {
  readonly metric: string;
  /** NaN if the line of the point has no step. */
  readonly step: number;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  /** May be NaN or ±Infinity. */
  readonly value: number;
}

export type Trend = 'increasing' | 'decreasing' | 'plateau' | 'unstable' | 'insufficient_data';

/**
 * `lower`: less is better (loss). `higher`: more is better (accuracy). `none`: neither (lr, step
 * time).
 */
export type Direction = 'lower' | 'higher' | 'none';

/**
 * Statistics of all points of one metric of one run. `min`, `max` and `mean` cover the finite
 * values only; NaN if there are none.
 */
export interface MetricSummary {
  readonly metric: string;
  readonly count: number;
  readonly last: number;
  readonly lastStep: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  /** `min` if lower is better, `max` if higher is better, `last` if the metric has no direction. */
  readonly best: number;
  readonly direction: Direction;
  /** Position of the first NaN or ±Inf. */
  readonly firstNonFinite?: {
    readonly index: number;
    readonly step: number;
    readonly value: number;
  };
}

/**
 * Parallel columns of one series, oldest point first. If `indices` is present, the columns are a
 * sample of a longer series, with the lowest and the highest point of each of many equally long
 * stretches, and `indices` are the positions of the points in the series. The sample includes the
 * first, the last, the lowest, the highest, and the first non-finite point, and a point without a
 * step if there is one.
 */
export interface SeriesColumns {
  readonly indices?: Float64Array;
  readonly steps: Float64Array;
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
}
