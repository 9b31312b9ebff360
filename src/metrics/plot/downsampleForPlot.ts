import type { SeriesColumns } from '../metric.ts';

/** The range of x that a plot shows, and the width of the plot in pixels. */
export interface PlotRange {
  readonly from?: number;
  readonly to?: number;
  readonly pixels: number;
}

export interface PlotPoints {
  /** Finite points, ordered by x. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Non-finite values, at most one of each kind per pixel column. */
  readonly nonFinite: readonly { readonly x: number; readonly kind: 'NaN' | 'Inf' | '-Inf' }[];
}

/**
 * Returns the x of each point on a step axis: the point's step or, if any point of the series has
 * no step, the point's index.
 */
export const stepAxis = ({ steps, indices }: SeriesColumns): Float64Array =>
  steps.some(Number.isNaN) ? (indices ?? steps.map((_, index) => index)) : steps;

/**
 * Reduces the points (x, y) to those that a plot needs: the first, lowest, highest and last point
 * of each pixel column, plus one neighbour on each side of the range, so that lines reach the
 * edges. Returns at most 4 points per pixel. If x decreases anywhere (a counter that restarts each
 * epoch), sorts the points by x first.
 */
export function downsampleForPlot(
  x: Float64Array,
  y: Float64Array,
  { from, to, pixels }: PlotRange,
): PlotPoints {
  const order = isAscending(x)
    ? undefined
    : Uint32Array.from(x.keys()).sort((a, b) => at(x, a) - at(x, b) || a - b);
  const source: Source = {
    count: x.length,
    x: (i) => at(x, order ? at(order, i) : i),
    y: (i) => at(y, order ? at(order, i) : i),
  };
  const start = from === undefined ? 0 : firstFrom(source, from);
  const end = to === undefined ? source.count : firstFrom(source, to, true);
  const chosen = new ChosenPoints();
  if (start > 0) chosen.addNeighbour(source, start - 1, -1);
  addColumns(source, { start, end, columns: Math.max(1, Math.floor(pixels) - 1) }, chosen);
  if (end < source.count) chosen.addNeighbour(source, end, 1);
  return chosen.points();
}

interface Source {
  readonly count: number;
  x(index: number): number;
  y(index: number): number;
}

const at = (column: { readonly [index: number]: number }, index: number): number =>
  column[index] ?? NaN;

function isAscending(x: Float64Array): boolean {
  for (let index = 1; index < x.length; index++) if (at(x, index) < at(x, index - 1)) return false;
  return true;
}

/**
 * Returns the index of the first point whose x is at least `limit` (with `isBeyond`: greater than
 * `limit`).
 */
function firstFrom(source: Source, limit: number, isBeyond = false): number {
  let low = 0;
  let high = source.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (source.x(middle) < limit || (isBeyond && source.x(middle) === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addColumns(
  source: Source,
  range: { start: number; end: number; columns: number },
  chosen: ChosenPoints,
): void {
  const { start, end, columns } = range;
  if (start >= end) return;
  const firstX = source.x(start);
  const width = (source.x(end - 1) - firstX) / columns;
  let column = 0;
  for (let index = start; index < end; index++) {
    const own =
      width > 0 ? Math.min(columns - 1, Math.floor((source.x(index) - firstX) / width)) : 0;
    if (own !== column) chosen.endColumn(source);
    column = own;
    chosen.add(source, index);
  }
  chosen.endColumn(source);
}

class ChosenPoints {
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #nonFinite: PlotPoints['nonFinite'][number][] = [];
  readonly #kindsHere = new Set<string>();
  #first = -1;
  #low = -1;
  #high = -1;
  #last = -1;

  add(source: Source, index: number): void {
    const y = source.y(index);
    if (!Number.isFinite(y)) return this.#mark(source.x(index), y);
    if (this.#first < 0) this.#first = this.#low = this.#high = index;
    if (y < source.y(this.#low)) this.#low = index;
    if (y > source.y(this.#high)) this.#high = index;
    this.#last = index;
  }

  endColumn(source: Source): void {
    const [inner, outer] =
      this.#low < this.#high ? [this.#low, this.#high] : [this.#high, this.#low];
    let before = -1;
    for (const index of [this.#first, inner, outer, this.#last]) {
      if (index > before) this.#push(source, index);
      before = Math.max(before, index);
    }
    this.#first = this.#low = this.#high = this.#last = -1;
    this.#kindsHere.clear();
  }

  /** Adds the finite point nearest to `index` in the given direction, if any. */
  addNeighbour(source: Source, index: number, direction: 1 | -1): void {
    for (let near = index; near >= 0 && near < source.count; near += direction)
      if (Number.isFinite(source.y(near))) return this.#push(source, near);
  }

  points(): PlotPoints {
    return {
      x: Float64Array.from(this.#x),
      y: Float64Array.from(this.#y),
      nonFinite: this.#nonFinite,
    };
  }

  #push(source: Source, index: number): void {
    this.#x.push(source.x(index));
    this.#y.push(source.y(index));
  }

  #mark(x: number, y: number): void {
    const kind = Number.isNaN(y) ? 'NaN' : y > 0 ? 'Inf' : '-Inf';
    if (this.#kindsHere.has(kind)) return;
    this.#kindsHere.add(kind);
    this.#nonFinite.push({ x, kind });
  }
}
