import type { SeriesColumns } from './metric.ts';

/** Smallest number of points that shows the shape of a series. */
const minForShape = 6;

/**
 * Returns at most `maxPoints` points of a series that preserve its shape, oldest first. Always
 * includes the first, last, lowest, highest and first non-finite point. The other points are the
 * lowest and the highest point of stretches of equal length; in a stretch with NaN or Inf, the
 * first non-finite point replaces the highest. If `maxPoints` is below 6, returns the newest
 * points.
 */
export function sampleForModel(columns: SeriesColumns, maxPoints: number): SeriesColumns {
  const count = columns.values.length;
  if (count <= maxPoints) return columns;
  const chosen =
    maxPoints < minForShape ? newest(count, maxPoints) : shape(columns.values, maxPoints);
  const pick = (column: Float64Array): Float64Array =>
    Float64Array.from(chosen, (index) => column[index] ?? NaN);
  return {
    steps: pick(columns.steps),
    timesMs: pick(columns.timesMs),
    values: pick(columns.values),
  };
}

const newest = (count: number, maxPoints: number): number[] =>
  Array.from(
    { length: Math.max(0, maxPoints) },
    (_, index) => count - Math.max(0, maxPoints) + index,
  );

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
