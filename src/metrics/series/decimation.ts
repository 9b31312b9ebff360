import type { SeriesColumns } from '../metric.ts';
import { PointColumns, type IndexedColumns } from './pointColumns.ts';
import { Stretch } from './stretch.ts';

/** Length of the stretches of a series that is decimated for the first time. */
const firstStride = 4;
/** Maximum number of stored points for the last stretch, including the last point of the series. */
const maxOfStretch = 8;

/**
 * The points of one series in memory: all points up to a limit. A longer series is divided into
 * stretches of equal length, of which only the points in `Stretch` are stored; the length doubles
 * whenever the limit is reached. The first point, the last point, and the first point without a
 * step are always stored.
 */
export class Decimation {
  #limit: number;
  #columns: PointColumns;
  /** Number of points per stretch; 1 while all points are stored. */
  #stride = 1;
  readonly #stretch = new Stretch();
  /** Position after the last point of the open stretch. */
  #stretchEnd = 0;
  /** Position, step, time and value of the last point. */
  readonly #last = new Float64Array(4);
  #firstStepless = Infinity;

  constructor(limit: number) {
    this.#limit = limit;
    this.#columns = new PointColumns(limit);
  }

  /** Whether all points are stored. */
  get isWhole(): boolean {
    return this.#stride === 1;
  }

  /** Whether all points are stored and there is no room for the next point. */
  get isFull(): boolean {
    return this.#stride === 1 && this.#columns.count >= this.#limit;
  }

  /** Number of points for which memory is reserved. */
  get capacity(): number {
    return this.#columns.capacity;
  }

  /** Adds a point while all points are stored. */
  add(index: number, step: number, timeMs: number, value: number): void {
    this.#columns.add(index, step, timeMs, value);
  }

  /** Adds points from position `first` on. From now on, the stored points are a sample. */
  sample(points: SeriesColumns, first: number): void {
    const last = points.values.length - 1;
    if (last < 0) return;
    if (this.isWhole) this.#thin();
    const indices = points.values.map((_, at) => first + at);
    for (let from = 0; from <= last;) {
      if (this.#columns.count >= this.#limit) this.#thin();
      // Every point adds at most one stored point.
      const to = from + this.#limit - this.#columns.count;
      this.#takeAll(rowsOf({ ...points, indices }, from, to));
      from = to;
    }
    const { steps, timesMs, values } = points;
    this.#last.set([first + last, steps[last] ?? NaN, timesMs[last] ?? NaN, values[last] ?? NaN]);
  }

  /** Returns the stored points in order: see `SeriesColumns.indices`. */
  columns(): SeriesColumns {
    if (!this.isWhole) return this.#columns.viewWith((columns) => this.#appendOpen(columns));
    const { steps, timesMs, values } = this.#columns.view();
    return { steps, timesMs, values };
  }

  /** Lowers the limit, and removes points that are now beyond it. */
  restrict(limit: number): void {
    this.#limit = limit;
    if (this.#columns.count > limit) this.#thin();
  }

  #appendOpen(columns: PointColumns): void {
    this.#stretch.appendTo(columns);
    const [index = 0, step = NaN, timeMs = NaN, value = NaN] = this.#last;
    if (columns.lastIndex < index) columns.add(index, step, timeMs, value);
  }

  #takeAll({ indices, steps, timesMs, values }: IndexedColumns): void {
    for (let at = 0; at < values.length; at++) {
      const index = indices[at] ?? 0;
      const value = values[at] ?? NaN;
      if (index >= this.#stretchEnd) this.#begin(index);
      if (this.#stretch.mayTake(value))
        this.#stretch.add(index, steps[at] ?? NaN, timesMs[at] ?? NaN, value);
      if (Number.isNaN(steps[at]) && index < this.#firstStepless) this.#firstStepless = index;
      if (index === 0 || index === this.#firstStepless)
        this.#stretch.pin(index, steps[at] ?? NaN, timesMs[at] ?? NaN, value);
    }
  }

  /** Stores the open stretch, and begins the stretch with the position `index`. */
  #begin(index: number): void {
    this.#stretch.appendTo(this.#columns);
    this.#stretch.clear();
    this.#stretchEnd = (Math.floor(index / this.#stride) + 1) * this.#stride;
  }

  /** Makes the stretches longer, until at most half of the limit is used. */
  #thin(): void {
    do {
      const columns = this.#columns;
      this.#stretch.appendTo(columns);
      this.#stretch.clear();
      this.#stretchEnd = 0;
      this.#stride = Math.max(firstStride, this.#stride * 2);
      this.#columns = new PointColumns(this.#limit, this.#limit);
      this.#takeAll(columns.view());
    } while (this.#columns.count > this.#limit / 2 + maxOfStretch);
  }
}

const rowsOf = (columns: IndexedColumns, from: number, to: number): IndexedColumns => ({
  indices: columns.indices.subarray(from, to),
  steps: columns.steps.subarray(from, to),
  timesMs: columns.timesMs.subarray(from, to),
  values: columns.values.subarray(from, to),
});
