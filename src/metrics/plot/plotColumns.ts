import type { PlotPoints, PlotRange } from './downsampleForPlot.ts';

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** Position in the series. Orders points with the same x. */
  readonly index: number;
}

type Kind = PlotPoints['nonFinite'][number]['kind'];

interface Column {
  first?: PlotPoint;
  low?: PlotPoint;
  high?: PlotPoint;
  last?: PlotPoint;
  readonly nonFinite: Map<Kind, PlotPoint>;
}

/**
 * Chooses the same points as `downsampleForPlot`, but takes the points one by one and in any order,
 * twice: first `survey` for each point, then `begin`, then `add` for each point.
 */
export class PlotColumns {
  readonly #range: PlotRange;
  readonly #count: number;
  readonly #columns = new Map<number, Column>();
  #min = Infinity;
  #max = -Infinity;
  #width = 0;
  #before: PlotPoint | undefined;
  #after: PlotPoint | undefined;

  constructor(range: PlotRange) {
    this.#range = range;
    this.#count = Math.max(1, Math.floor(range.pixels) - 1);
  }

  survey(point: PlotPoint): void {
    const { from = -Infinity, to = Infinity } = this.#range;
    const isFinite = Number.isFinite(point.y);
    if (point.x < from) {
      if (isFinite && isBefore(this.#before, point)) this.#before = point;
    } else if (point.x > to) {
      if (isFinite && (this.#after === undefined || order(point, this.#after) < 0))
        this.#after = point;
    } else {
      this.#min = Math.min(this.#min, point.x);
      this.#max = Math.max(this.#max, point.x);
    }
  }

  begin(): void {
    this.#width = (this.#max - this.#min) / this.#count;
  }

  add(point: PlotPoint): void {
    const { from = -Infinity, to = Infinity } = this.#range;
    if (point.x < from || point.x > to) return;
    const own = this.#width > 0 ? Math.floor((point.x - this.#min) / this.#width) : 0;
    const column = this.#columnAt(Math.min(this.#count - 1, own));
    if (Number.isFinite(point.y)) addFinite(column, point);
    else addNonFinite(column, point);
  }

  points(): PlotPoints {
    const columns = [...this.#columns].sort(([a], [b]) => a - b).map(([, column]) => column);
    const chosen = [
      ...(this.#before ? [this.#before] : []),
      ...columns.flatMap(pointsOf),
      ...(this.#after ? [this.#after] : []),
    ];
    return {
      x: Float64Array.from(chosen, ({ x }) => x),
      y: Float64Array.from(chosen, ({ y }) => y),
      nonFinite: columns.flatMap(({ nonFinite }) =>
        [...nonFinite].sort(([, a], [, b]) => order(a, b)).map(([kind, { x }]) => ({ x, kind })),
      ),
    };
  }

  #columnAt(at: number): Column {
    const known = this.#columns.get(at);
    if (known !== undefined) return known;
    const column: Column = { nonFinite: new Map() };
    this.#columns.set(at, column);
    return column;
  }
}

const order = (a: PlotPoint, b: PlotPoint): number => a.x - b.x || a.index - b.index;

/** Returns whether `one` is missing or before `other`. */
const isBefore = (one: PlotPoint | undefined, other: PlotPoint): boolean =>
  one === undefined || order(one, other) < 0;

function addFinite(column: Column, point: PlotPoint): void {
  const { first, low, high, last } = column;
  if (first === undefined || order(point, first) < 0) column.first = point;
  if (last === undefined || order(point, last) > 0) column.last = point;
  if (low === undefined || point.y < low.y || (point.y === low.y && order(point, low) < 0))
    column.low = point;
  if (high === undefined || point.y > high.y || (point.y === high.y && order(point, high) < 0))
    column.high = point;
}

function addNonFinite({ nonFinite }: Column, point: PlotPoint): void {
  const kind = Number.isNaN(point.y) ? 'NaN' : point.y > 0 ? 'Inf' : '-Inf';
  const known = nonFinite.get(kind);
  if (known === undefined || order(point, known) < 0) nonFinite.set(kind, point);
}

/** Returns the points of a column in order, each once. */
function pointsOf({ first, low, high, last }: Column): PlotPoint[] {
  const all = [first, low, high, last].filter((point) => point !== undefined).sort(order);
  return all.filter((point, at) => point.index !== all[at - 1]?.index);
}
