/** The visible ranges of a plot's x and y axes. */
import type { Point } from './series.ts';
import type { Range } from '../shared/range.ts';

export interface Bounds {
  readonly x: Range;
  readonly y: Range;
}

/**
 * Returns the smallest range that contains all of `extents`, enlarged if its size is 0. Returns
 * `undefined` if all of `extents` are `undefined`.
 */
export function union(extents: readonly (Range | undefined)[]): Range | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const extent of extents) {
    from = Math.min(from, extent?.from ?? from);
    to = Math.max(to, extent?.to ?? to);
  }
  if (from > to) return undefined;
  return from === to ? { from: from - 0.5, to: to + 0.5 } : { from, to };
}

export interface Fit {
  readonly lines: readonly (readonly Point[])[];
  readonly x: Range;
  readonly target: number | undefined;
  readonly isLog: boolean;
}

/**
 * Returns the y range of all points within the x range, and of the goal's target, with a margin. On
 * a logarithmic axis, ignores values that are not positive.
 */
export function fitY({ lines, x, target, isLog }: Fit): Range {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const include = (y: number): void => {
    if (!Number.isFinite(y) || (isLog && y <= 0)) return;
    low = Math.min(low, y);
    high = Math.max(high, y);
  };
  for (const line of lines) {
    for (const point of line) if (point.x >= x.from && point.x <= x.to) include(point.y);
  }
  if (target !== undefined) include(target);
  if (low > high) return isLog ? { from: 0.1, to: 10 } : { from: 0, to: 1 };
  return isLog ? withMarginLog(low, high) : withMargin(low, high);
}

function withMargin(low: number, high: number): Range {
  const margin = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  // If no value is negative, the axis does not extend below 0.
  const from = low >= 0 ? Math.max(0, low - margin) : low - margin;
  return { from, to: high + margin };
}

function withMarginLog(low: number, high: number): Range {
  const factor = high > low ? (high / low) ** 0.06 : 1.5;
  return { from: low / factor, to: high * factor };
}
