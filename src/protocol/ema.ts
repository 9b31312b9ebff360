/** The exponential moving average that smooths curves, the same in the host and the view. */

/** State of an average. Plain data, because it is sent in messages. */
export interface Ema {
  /** Share of the old level that each point keeps. */
  readonly keep: number;
  readonly level: number;
  /** Total weight of the points so far: dividing by it makes the first values unbiased. */
  readonly weight: number;
}

/**
 * Above this number of points, smoothing scales with the length, so that a setting smooths a long
 * series as much as a short one.
 */
const fullStrengthPoints = 1000;

/** `smoothing` from 0 (none) to below 1, for a series of `points` points. */
const startEma = (smoothing: number, points: number): Ema => ({
  keep: smoothing ** Math.min(1, fullStrengthPoints / Math.max(1, points)),
  level: 0,
  weight: 0,
});

/** Returns the average after one more finite value; `emaValue` reads it. */
export const advanceEma = (ema: Ema, value: number): Ema => ({
  keep: ema.keep,
  level: ema.level * ema.keep + value * (1 - ema.keep),
  weight: ema.weight * ema.keep + (1 - ema.keep),
});

export const emaValue = (ema: Ema): number => ema.level / ema.weight;

/**
 * Returns the average at each of `values`, and the final state. A non-finite value stays unchanged
 * and is skipped.
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
