import type { SeriesColumns } from '../metric.ts';

/** The newest points of a series: at least `size` of them, at most twice as many. */
export class RecentPoints {
  readonly #size: number;
  readonly #steps: Float64Array;
  readonly #timesMs: Float64Array;
  readonly #values: Float64Array;
  /** Position in the series of the first stored point. */
  #first = 0;
  #count = 0;

  constructor(size: number) {
    this.#size = size;
    this.#steps = new Float64Array(size * 2);
    this.#timesMs = new Float64Array(size * 2);
    this.#values = new Float64Array(size * 2);
  }

  /** Number of points for which memory is reserved. */
  get capacity(): number {
    return this.#values.length;
  }

  /** Whether the next point removes the oldest points. */
  get isFull(): boolean {
    return this.#count === this.#values.length;
  }

  /** Removes all points. The next point has the position `index`. */
  restart(index: number): void {
    this.#first = index;
    this.#count = 0;
  }

  /** Adds the next point. */
  add(step: number, timeMs: number, value: number): void {
    if (this.isFull) this.#drop();
    this.#steps[this.#count] = step;
    this.#timesMs[this.#count] = timeMs;
    this.#values[this.#count] = value;
    this.#count++;
  }

  /** Returns copies of the points from position `from` on; `undefined` if some are not stored. */
  from(from: number): SeriesColumns | undefined {
    const start = from - this.#first;
    if (start < 0) return undefined;
    return {
      steps: this.#steps.slice(start, this.#count),
      timesMs: this.#timesMs.slice(start, this.#count),
      values: this.#values.slice(start, this.#count),
    };
  }

  /** Returns the newest `size` points in a smaller store. */
  restricted(size: number): RecentPoints {
    const smaller = new RecentPoints(size);
    const start = Math.max(0, this.#count - size);
    smaller.restart(this.#first + start);
    for (let at = start; at < this.#count; at++)
      smaller.add(this.#steps[at] ?? NaN, this.#timesMs[at] ?? NaN, this.#values[at] ?? NaN);
    return smaller;
  }

  #drop(): void {
    for (const column of [this.#steps, this.#timesMs, this.#values])
      column.copyWithin(0, this.#size);
    this.#first += this.#size;
    this.#count -= this.#size;
  }
}
