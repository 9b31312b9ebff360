import type { Curve } from './meanCurve.ts';

/** Sorts the points by x, for a counter that restarts each epoch. */
export function inOrder({ x, y }: Curve): Curve {
  if (x.every((value, index) => index === 0 || value >= (x[index - 1] ?? Number.NaN)))
    return { x, y };
  const order = [...x.keys()].sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0) || a - b);
  const pick = (column: Float64Array): Float64Array =>
    Float64Array.from(order, (index) => column[index] ?? Number.NaN);
  return { x: pick(x), y: pick(y) };
}
