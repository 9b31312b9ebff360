import type { Trend } from '../metric.ts';

const minPoints = 3;
/** Minimum ratio of a significant order of the values to its standard error. */
const clearOrder = 1.7;
/**
 * Maximum change over the whole window that is treated as a plateau, relative to the largest
 * absolute value in the window.
 */
const relativeStandstill = 1e-3;

/**
 * Returns the trend of the last `window` values: `unstable` if one of them is NaN or infinite. The
 * direction is that of most pairs of values (Mann-Kendall test), if this is significant or all values
 * move in one direction, and if the value changes by more than 0.1 % over the window; otherwise the
 * trend is `plateau`. A curve that flattens has a direction as clear as a straight line has.
 */
export function trendOf(values: ArrayLike<number>, window = 20): Trend {
  const length = Math.min(values.length, Math.max(minPoints, window));
  const recent = Array.from(
    { length },
    (_, index) => values[values.length - length + index] ?? NaN,
  );
  if (!recent.every(Number.isFinite)) return 'unstable';
  if (recent.length < minPoints) return 'insufficient_data';
  const size = Math.max(...recent.map(Math.abs));
  const order = orderOf(recent);
  const isClear = Math.abs(order) > clearOrder || isMonotone(recent);
  if (!isClear || changeOf(recent, size) <= relativeStandstill) return 'plateau';
  return order > 0 ? 'increasing' : 'decreasing';
}

/**
 * Returns how many more pairs of values rise than fall, in standard errors; negative if more pairs
 * fall.
 */
function orderOf(values: readonly number[]): number {
  const n = values.length;
  const rises = values.reduce(
    (sum, value, index) =>
      values.slice(0, index).reduce((inner, before) => inner + Math.sign(value - before), sum),
    0,
  );
  return rises / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
}

const isMonotone = (values: readonly number[]): boolean =>
  [1, -1].some((sign) =>
    values.slice(1).every((value, index) => Math.sign(value - (values[index] ?? NaN)) === sign),
  );

/** Returns the change from the first to the second half, relative to `size`. */
function changeOf(values: readonly number[], size: number): number {
  // The values are scaled to at most 1, so that the sum of very large values stays finite.
  const mean = (part: readonly number[]): number =>
    part.reduce((sum, value) => sum + value / size, 0) / part.length;
  const half = Math.floor(values.length / 2);
  // The means of the halves of a line differ by half of its change.
  return 2 * Math.abs(mean(values.slice(-half)) - mean(values.slice(0, half)));
}
