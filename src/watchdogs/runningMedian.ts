/**
 * Median and spread of the last values in a series. The time to add a value depends on the
 * capacity, and not on the length of the series.
 */
export class RunningMedian {
  readonly #ring: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #next = 0;

  /**
   * Creates an empty window. `capacity`: maximum number of values in the window, which are the most
   * recent ones.
   */
  constructor(capacity: number) {
    this.#ring = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  /** NaN while there is no value. */
  get median(): number {
    return middleOf(this.#sorted, this.#count);
  }

  /**
   * The median distance from the median; NaN while there is no value. Walks the whole window, so do
   * not read it for every value.
   */
  get deviation(): number {
    const { median } = this;
    const middle = (this.#count - 1) >> 1;
    // The values are sorted, so the nearest values are next to the median: each step takes the
    // nearer of the next value below and the next value above.
    let low = middle;
    let high = middle + 1;
    let distance = Number.NaN;
    for (let taken = 0; taken <= middle; taken += 1) {
      const below = low < 0 ? Infinity : median - (this.#sorted[low] ?? 0);
      const above = high >= this.#count ? Infinity : (this.#sorted[high] ?? 0) - median;
      distance = Math.min(below, above);
      if (below <= above) low -= 1;
      else high += 1;
    }
    return distance;
  }

  /** Adds a value, which must be finite. */
  add(value: number): void {
    if (this.#count < this.#ring.length) this.#insert(value);
    else this.#replace(this.#ring[this.#next] ?? 0, value);
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % this.#ring.length;
  }

  #insert(value: number): void {
    const at = this.#placeOf(value);
    this.#sorted.copyWithin(at + 1, at, this.#count);
    this.#sorted[at] = value;
    this.#count += 1;
  }

  /** Replaces `old` by `value`. Moves only the sorted values between them. */
  #replace(old: number, value: number): void {
    const from = this.#placeOf(old);
    const to = this.#placeOf(value);
    if (to > from) this.#sorted.copyWithin(from, from + 1, to);
    else this.#sorted.copyWithin(to + 1, to, from);
    this.#sorted[to > from ? to - 1 : to] = value;
  }

  /** Returns the index of the first sorted value that is not smaller than `value`. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function middleOf(sorted: Float64Array, count: number): number {
  if (count === 0) return Number.NaN;
  const middle = count >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return count % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
