/** The exponential moving average that smooths curves, shared by host and view. */

/** State of a moving average. Plain data, because the state is sent in messages. */
export interface Ema {
  /** Share of the old level, 0 to 1, that remains after each new point. */
  readonly keep: number;
  readonly level: number;
  /**
   * Total weight of the points so far. Dividing `level` by `weight` gives the average, without the
   * bias of the initial level 0.
   */
  readonly weight: number;
}

/**
 * Number of points up to which `smoothing` is applied unchanged. For a longer series, it is
 * increased, so that the curve looks equally smooth for short and long series.
 */
const fullStrengthPoints = 1000;

/** Returns the state before the first of `points` points. `smoothing`: from 0 (none) to below 1. */
const startEma = (smoothing: number, points: number): Ema => ({
  keep: smoothing ** Math.min(1, fullStrengthPoints / Math.max(1, points)),
  level: 0,
  weight: 0,
});

/** Returns the state after one more finite value. `emaValue` returns the average of a state. */
export const advanceEma = (ema: Ema, value: number): Ema => ({
  keep: ema.keep,
  level: ema.level * ema.keep + value * (1 - ema.keep),
  weight: ema.weight * ema.keep + (1 - ema.keep),
});

export const emaValue = (ema: Ema): number => ema.level / ema.weight;

/**
 * Returns the average at each of `values`, and the final state. A non-finite value is returned
 * unchanged and does not count.
 */
export function smoothed(
  values: Float64Array,
  smoothing: number,
): { values: Float64Array; ema: Ema } {
  const start = startEma(smoothing, values.length);
  const result = new Float64Array(values.length);
  let { level, weight } = start;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? Number.NaN;
    if (Number.isFinite(value)) {
      level = level * start.keep + value * (1 - start.keep);
      weight = weight * start.keep + (1 - start.keep);
    }
    result[index] = Number.isFinite(value) ? level / weight : value;
  }
  return { values: result, ema: { keep: start.keep, level, weight } };
}

/**
 * Averages of consecutive stretches of a series, with the number of finite values in each stretch.
 */
interface Stretches {
  readonly means: Float64Array;
  readonly finiteCounts: Float64Array;
}

/**
 * Returns the average at the end of each stretch of a series of `points` points, and the final
 * state. Each stretch counts as that many points with its mean as their value. The average is NaN
 * at a stretch without finite values.
 */
export function smoothedStretches(
  { means, finiteCounts }: Stretches,
  smoothing: number,
  points: number,
): { values: Float64Array; ema: Ema } {
  const start = startEma(smoothing, points);
  const result = new Float64Array(means.length);
  let { level, weight } = start;
  for (let index = 0; index < means.length; index++) {
    const count = finiteCounts[index] ?? 0;
    const keep = start.keep ** count;
    const mean = count > 0 ? (means[index] ?? 0) : 0;
    level = level * keep + mean * (1 - keep);
    weight = weight * keep + (1 - keep);
    result[index] = count > 0 ? level / weight : Number.NaN;
  }
  return { values: result, ema: { keep: start.keep, level, weight } };
}
