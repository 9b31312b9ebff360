/** The points of a series to draw: the host's answer, and the points that the host sent later. */
import { advanceEma, emaValue, type Ema } from '../../src/protocol/ema.ts';
import {
  axisMetric,
  type PointsAdded,
  type SeriesAnswer,
  type SeriesBand,
  type XAxis,
} from '../../src/protocol/metricsPanel.ts';
import type { Range } from '../shared/range.ts';

export interface Point {
  readonly x: number;
  /** Value; NaN where the line has a gap. */
  readonly y: number;
}

export interface Mark {
  readonly x: number;
  readonly kind: 'NaN' | 'Inf' | '-Inf';
}

export class Series {
  readonly axis: XAxis;
  readonly points: Point[];
  /** The moving average; `undefined` while smoothing is off. */
  readonly smooth: Point[] | undefined;
  readonly marks: Mark[];
  /** The spread of the mean of several runs; `undefined` for one run. */
  readonly band: MeanBand | undefined;
  #total: number;
  #extent: Range | undefined;
  #ema: Ema | undefined;

  constructor(answer: SeriesAnswer, axis: XAxis) {
    this.axis = axis;
    this.marks = [...answer.nonFinite];
    this.points = pointsOf(answer.x, answer.y, this.marks);
    this.smooth = answer.smooth && pointsOf(answer.smooth.x, answer.smooth.y, this.marks);
    this.band = answer.band && new MeanBand(answer.band);
    this.#ema = answer.smooth?.ema;
    this.#total = answer.total;
    this.#extent = answer.extent;
  }

  /** Number of points of the whole series, including those that are not drawn. */
  get total(): number {
    return this.#total;
  }

  /** First and last x of the whole series, including points that are not drawn. */
  get extent(): Range | undefined {
    return this.#extent;
  }

  /**
   * Adds points. Returns false if they do not continue the series, which must then be read again.
   * Points never continue a mean, nor a series over a metric.
   */
  append(added: PointsAdded): boolean {
    if (this.band !== undefined || axisMetric(this.axis) !== undefined) return false;
    if (added.total - added.values.length !== this.#total) return false;
    for (let index = 0; index < added.values.length; index++) {
      const x = this.#xOf(added, index);
      if (!(x >= (this.#extent?.to ?? Number.NEGATIVE_INFINITY))) return false;
      this.#extent = { from: this.#extent?.from ?? x, to: x };
      this.#add(x, added.values[index] ?? Number.NaN);
      this.#total++;
    }
    return true;
  }

  #xOf(added: PointsAdded, index: number): number {
    const time = added.times[index] ?? Number.NaN;
    if (this.axis === 'clock') return added.startedMs + time;
    if (this.axis === 'time') return time;
    return added.steps[index] ?? Number.NaN;
  }

  #add(x: number, value: number): void {
    const isFinite = Number.isFinite(value);
    if (!isFinite) this.marks.push({ x, kind: kindOf(value) });
    this.points.push({ x, y: isFinite ? value : Number.NaN });
    if (this.smooth === undefined || this.#ema === undefined) return;
    if (isFinite) this.#ema = advanceEma(this.#ema, value);
    this.smooth.push({ x, y: isFinite ? emaValue(this.#ema) : Number.NaN });
  }
}

/** The band of one standard deviation around a mean. */
export class MeanBand {
  readonly low: readonly Point[];
  readonly high: readonly Point[];
  readonly #counts: SeriesBand['counts'];

  constructor({ low, high, counts }: SeriesBand) {
    this.low = pointsOf(low.x, low.y, []);
    this.high = pointsOf(high.x, high.y, []);
    this.#counts = counts;
  }

  /** Returns the standard deviation near `x` and the number of runs that have a value there. */
  at(x: number): { readonly spread: number; readonly n: number } {
    const low = this.low[nearestIndex(this.low, x)]?.y ?? Number.NaN;
    const high = this.high[nearestIndex(this.high, x)]?.y ?? Number.NaN;
    const n = this.#counts.findLast((count) => count.x <= x)?.n ?? this.#counts[0]?.n ?? 0;
    return { spread: (high - low) / 2, n };
  }
}

const kindOf = (value: number): Mark['kind'] =>
  Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : '-Inf';

/** Returns the points sorted by x, with a gap in the line at each mark. */
function pointsOf(x: Float64Array, y: Float64Array, marks: readonly Mark[]): Point[] {
  const points: Point[] = [];
  let next = 0;
  const breakBefore = (limit: number): void => {
    for (let mark = marks[next]; mark !== undefined && mark.x <= limit; mark = marks[++next])
      points.push({ x: mark.x, y: Number.NaN });
  };
  for (let index = 0; index < x.length; index++) {
    const at = x[index] ?? Number.NaN;
    breakBefore(at);
    points.push({ x: at, y: y[index] ?? Number.NaN });
  }
  breakBefore(Number.POSITIVE_INFINITY);
  return points;
}

/** Returns the index of the point nearest to `x`; -1 without points. `points` are sorted by x. */
export function nearestIndex(points: readonly { readonly x: number }[], x: number): number {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  const before = points[low - 1];
  const at = points[low];
  if (at === undefined) return -1;
  return before !== undefined && x - before.x < at.x - x ? low - 1 : low;
}
