import type { SeriesColumns } from '../metric.ts';

const firstCapacity = 32;
/** Factor by which the columns grow when they are full. */
const growth = 1.5;
/** Number of points by which the columns grow beyond their usual maximum. */
const spare = 64;

/** Columns with the position of each point in the series. */
export type IndexedColumns = SeriesColumns & { readonly indices: Float64Array };

/**
 * Growing columns of points, 32 bytes a point. The columns are only appended to, so that views of
 * them stay valid.
 */
export class PointColumns {
  readonly #maxCapacity: number;
  #indices: Float64Array<ArrayBuffer>;
  #steps: Float64Array<ArrayBuffer>;
  #timesMs: Float64Array<ArrayBuffer>;
  #values: Float64Array<ArrayBuffer>;
  #count = 0;

  /**
   * @param maxCapacity Largest number of points for which memory is reserved in advance.
   * @param capacity Number of points for which memory is reserved at once.
   */
  constructor(maxCapacity = Infinity, capacity = firstCapacity) {
    this.#maxCapacity = maxCapacity;
    this.#indices = new Float64Array(capacity);
    this.#steps = new Float64Array(capacity);
    this.#timesMs = new Float64Array(capacity);
    this.#values = new Float64Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  /** Number of points for which memory is reserved. */
  get capacity(): number {
    return this.#values.length;
  }

  add(index: number, step: number, timeMs: number, value: number): void {
    if (this.#count === this.#values.length) this.#grow();
    this.#indices[this.#count] = index;
    this.#steps[this.#count] = step;
    this.#timesMs[this.#count] = timeMs;
    this.#values[this.#count] = value;
    this.#count++;
  }

  /** Returns views of the points in order, with their positions in the series. */
  view(): IndexedColumns {
    return {
      indices: this.#indices.subarray(0, this.#count),
      steps: this.#steps.subarray(0, this.#count),
      timesMs: this.#timesMs.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    };
  }

  /** Returns views that include the points that `append` adds. Does not store these points. */
  viewWith(append: (columns: PointColumns) => void): SeriesColumns {
    const count = this.#count;
    append(this);
    const view = this.view();
    this.#count = count;
    return view;
  }

  /** Position in the series of the last point; -1 without points. */
  get lastIndex(): number {
    return this.#indices[this.#count - 1] ?? -1;
  }

  #grow(): void {
    const larger = Math.ceil(this.#count * growth);
    const capacity = Math.max(this.#count + spare, Math.min(larger, this.#maxCapacity));
    this.#indices = enlarged(this.#indices, capacity);
    this.#steps = enlarged(this.#steps, capacity);
    this.#timesMs = enlarged(this.#timesMs, capacity);
    this.#values = enlarged(this.#values, capacity);
  }
}

function enlarged(column: Float64Array<ArrayBuffer>, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(column);
  return larger;
}
