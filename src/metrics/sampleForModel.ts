import type { SeriesColumns } from './metric.ts';

/** Smallest number of points that shows the shape of a series. */
export const minForShape = 6;

/**
 * Returns at most `maxPoints` points of a series that preserve its shape, oldest first; 6 points if
 * `maxPoints` is smaller. Always includes the first, last, lowest, highest and first non-finite
 * point. The other points are the lowest and the highest point of stretches of equal length; in a
 * stretch with NaN or Inf, the first non-finite point replaces the highest.
 */
export function sampleForModel(columns: SeriesColumns, maxPoints: number): SeriesColumns {
  const most = Math.max(minForShape, maxPoints);
  if (columns.values.length <= most) return columns;
  const chosen = shape(columns.values, most);
  const pick = (column: Float64Array): Float64Array =>
    Float64Array.from(chosen, (index) => column[index] ?? NaN);
  return {
    steps: pick(columns.steps),
    timesMs: pick(columns.timesMs),
    values: pick(columns.values),
  };
}

function shape(values: Float64Array, maxPoints: number): number[] {
  const all = extremesOf(values, 0, values.length);
  const chosen = new Set([0, values.length - 1, all.low, all.high, all.nonFinite]);
  const stretches = Math.floor((maxPoints - chosen.size) / 2);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * values.length) / stretches);
    const to = Math.floor(((stretch + 1) * values.length) / stretches);
    const { low, high, nonFinite } = extremesOf(values, from, to);
    chosen.add(low).add(nonFinite < 0 ? high : nonFinite);
  }
  chosen.delete(-1);
  return [...chosen].sort((a, b) => a - b);
}

function extremesOf(
  values: Float64Array,
  from: number,
  to: number,
): { low: number; high: number; nonFinite: number } {
  let low = -1;
  let high = -1;
  let nonFinite = -1;
  for (let index = from; index < to; index++) {
    const value = values[index] ?? NaN;
    if (!Number.isFinite(value)) nonFinite = nonFinite < 0 ? index : nonFinite;
    else {
      if (low < 0 || value < (values[low] ?? NaN)) low = index;
      if (high < 0 || value > (values[high] ?? NaN)) high = index;
    }
  }
  return { low, high, nonFinite };
}
