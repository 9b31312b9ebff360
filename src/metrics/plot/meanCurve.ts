/** The mean of several curves, with its spread. */

/** A curve as points in order of x. Values may be NaN or infinite. */
export interface Curve {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Mean and spread at each x at which any curve has a point; x ascends. */
export interface MeanCurve {
  readonly x: Float64Array;
  readonly mean: Float64Array;
  /** Mean minus one standard deviation (with n − 1); the mean itself where n is 1. */
  readonly low: Float64Array;
  /** Mean plus one standard deviation. */
  readonly high: Float64Array;
  /** Number of curves that have a value there. */
  readonly count: Uint32Array;
}

/**
 * Computes the mean of the curves. Between two adjacent finite points, a curve has the values of
 * the line between them; before its first point, after its last point and at a point that is not
 * finite, it has none and does not count. Omits each x at which no curve has a value. Linear in the
 * number of points times the number of curves.
 */
export function meanCurve(curves: readonly Curve[]): MeanCurve {
  const grid = unionOf(curves.map(({ x }) => x));
  const columns = curves.map((curve) => valuesOn(grid, curve));
  const count = new Uint32Array(
    sumOf(columns, grid.length, (value) => Number(Number.isFinite(value))),
  );
  const sums = sumOf(columns, grid.length, (value) => (Number.isFinite(value) ? value : 0));
  const means = sums.map((sum, index) => sum / (count[index] ?? 0));
  const squares = sumOf(columns, grid.length, (value, index) =>
    Number.isFinite(value) ? (value - (means[index] ?? 0)) ** 2 : 0,
  );
  return resultOf({ grid, means, squares, count });
}

/** Adds up a function of the values of all columns, for each index. */
function sumOf(
  columns: readonly Float64Array[],
  length: number,
  of: (value: number, index: number) => number,
): Float64Array {
  const sums = new Float64Array(length);
  for (const column of columns)
    for (let index = 0; index < length; index++)
      sums[index] = (sums[index] ?? 0) + of(column[index] ?? Number.NaN, index);
  return sums;
}

interface Sums {
  readonly grid: Float64Array;
  readonly means: Float64Array;
  readonly squares: Float64Array;
  readonly count: Uint32Array;
}

function resultOf({ grid, means, squares, count }: Sums): MeanCurve {
  const present = (_: number, index: number): boolean => (count[index] ?? 0) > 0;
  const spread = squares.map((sum, index) => {
    const n = count[index] ?? 0;
    return n > 1 ? Math.sqrt(sum / (n - 1)) : 0;
  });
  return {
    x: grid.filter(present),
    mean: means.filter(present),
    low: means.map((mean, index) => mean - (spread[index] ?? 0)).filter(present),
    high: means.map((mean, index) => mean + (spread[index] ?? 0)).filter(present),
    count: count.filter((n) => n > 0),
  };
}

/** Returns all different values in ascending order. */
function unionOf(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const column of columns) {
    all.set(column, end);
    end += column.length;
  }
  return all.sort().filter((value, index) => !Number.isNaN(value) && value !== all[index - 1]);
}

/** Returns the value of the curve at each x of the grid; NaN where it has none. */
function valuesOn(grid: Float64Array, { x, y }: Curve): Float64Array {
  const values = new Float64Array(grid.length).fill(Number.NaN);
  let next = 0;
  grid.forEach((at, index) => {
    while (next < x.length && (x[next] ?? 0) < at) next += 1;
    values[index] = valueBetween({ x, y }, next, at);
  });
  return values;
}

/** Returns the value at `at`, where `next` is the index of the first point with x ≥ `at`. */
function valueBetween({ x, y }: Curve, next: number, at: number): number {
  const after = x[next];
  const value = y[next] ?? Number.NaN;
  if (after === undefined || after === at) return value;
  const before = x[next - 1];
  if (before === undefined) return Number.NaN;
  const share = (at - before) / (after - before);
  return (y[next - 1] ?? Number.NaN) * (1 - share) + value * share;
}
