import type { SeriesColumns } from './metric.ts';

const firstCapacity = 32;
/**
 * Factor by which the columns grow when they are full. A point is 24 bytes; with the spare
 * capacity, memory use per point is at most 36 bytes.
 */
const growth = 1.5;

/** Growing columns (step, time, value) of one metric of one run, in the order of the output. */
export class Series {
  #steps = new Float64Array(firstCapacity);
  #timesMs = new Float64Array(firstCapacity);
  #values = new Float64Array(firstCapacity);
  #count = 0;
  readonly tally = new Tally();

  get count(): number {
    return this.#count;
  }

  add(step: number, timeMs: number, value: number): void {
    if (this.#count === this.#values.length) this.#grow();
    this.#steps[this.#count] = step;
    this.#timesMs[this.#count] = timeMs;
    this.#values[this.#count] = value;
    this.#count++;
    this.tally.add(step, value);
  }

  /**
   * Returns the columns of all points, or of the points from index `from` on. The columns are
   * views: read them before the next point is added, and do not change them.
   */
  columns(from = 0): SeriesColumns {
    return {
      steps: this.#steps.subarray(from, this.#count),
      timesMs: this.#timesMs.subarray(from, this.#count),
      values: this.#values.subarray(from, this.#count),
    };
  }

  #grow(): void {
    const capacity = Math.ceil(this.#count * growth);
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

interface NonFinite {
  /** 0-based index in the series. */
  readonly index: number;
  readonly step: number;
  readonly value: number;
}

/**
 * Count, last value, extremes and mean of a series, updated with each value. `min`, `max` and
 * `mean` cover finite values only.
 */
export class Tally {
  count = 0;
  last = NaN;
  lastStep = NaN;
  min = NaN;
  max = NaN;
  firstNonFinite: NonFinite | undefined;
  #finiteCount = 0;
  #mean = 0;

  get mean(): number {
    return this.#finiteCount === 0 ? NaN : this.#mean;
  }

  add(step: number, value: number): void {
    if (Number.isFinite(value)) this.#addFinite(value);
    else this.firstNonFinite ??= { index: this.count, step, value };
    this.count++;
    this.last = value;
    this.lastStep = step;
  }

  #addFinite(value: number): void {
    this.#finiteCount++;
    // Dividing each term keeps the running mean finite even for values near the largest number.
    this.#mean += value / this.#finiteCount - this.#mean / this.#finiteCount;
    if (!(value >= this.min)) this.min = value;
    if (!(value <= this.max)) this.max = value;
  }
}
