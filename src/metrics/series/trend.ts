import type { Trend } from '../metric.ts';

const minPoints = 3;
/** Minimum ratio of a significant slope to its standard error. */
const clearSlope = 2;
/** `clearSlope` for fewer than `few` points: higher, because their standard error is uncertain. */
const clearSlopeOfFew = 3;
const few = 8;
/**
 * Maximum change over the whole window that is treated as a plateau, relative to the largest
 * absolute value in the window.
 */
const relativeStandstill = 1e-3;

/**
 * Returns the trend of the last `window` values: `unstable` if one of them is NaN or infinite;
 * otherwise the direction of the least-squares slope, if the slope is significant and changes the
 * value by more than 0.1 % over the window; otherwise `plateau`.
 */
export function trendOf(values: ArrayLike<number>, window = 20): Trend {
  const length = Math.min(values.length, Math.max(minPoints, window));
  const recent = Array.from(
    { length },
    (_, index) => values[values.length - length + index] ?? NaN,
  );
  if (!recent.every(Number.isFinite)) return 'unstable';
  if (recent.length < minPoints) return 'insufficient_data';
  const { slope, slopeError, size } = fitLine(recent);
  const change = Math.abs(slope) * (recent.length - 1);
  const threshold = recent.length < few ? clearSlopeOfFew : clearSlope;
  if (change <= relativeStandstill * size || Math.abs(slope) <= threshold * slopeError)
    return 'plateau';
  return slope > 0 ? 'increasing' : 'decreasing';
}

function fitLine(values: readonly number[]): { slope: number; slopeError: number; size: number } {
  const n = values.length;
  const size = Math.max(...values.map(Math.abs));
  if (size === 0) return { slope: 0, slopeError: 0, size };
  // The values are scaled to at most 1, so that the squares of very large values stay finite.
  const scaled = values.map((value) => value / size);
  const middle = (n - 1) / 2;
  const mean = scaled.reduce((sum, value) => sum + value, 0) / n;
  let xx = 0;
  let xy = 0;
  scaled.forEach((value, index) => {
    xx += (index - middle) ** 2;
    xy += (index - middle) * (value - mean);
  });
  const slope = xy / xx;
  const squares = scaled.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  return { slope: slope * size, slopeError: Math.sqrt(squares / (n - 2) / xx) * size, size };
}
