import type { PointColumns } from './pointColumns.ts';

/** Positions of the chosen points. A stretch has at most two pinned points. */
const slot = { low: 0, high: 1, nan: 2, infinite: 3, minusInfinite: 4, pinned: 5, alsoPinned: 6 };
const slotCount = 7;
const allSlots = Object.values(slot);
const empty = -1;

/**
 * The points that represent a stretch of a series: the first lowest, the first highest, the first
 * of each kind of non-finite value, and the pinned points. Merging the points of two neighbouring
 * stretches gives the same points as one stretch over all points. Stores numbers, not objects,
 * because a point is added for every line of output.
 */
export class Stretch {
  readonly #indices = new Float64Array(slotCount).fill(empty);
  readonly #steps = new Float64Array(slotCount);
  readonly #timesMs = new Float64Array(slotCount);
  readonly #values = new Float64Array(slotCount).fill(NaN);
  /** Whether there are only a lowest and a highest point. */
  #isPlain = true;

  /** Returns whether a point with this value may be among the chosen points. */
  mayTake(value: number): boolean {
    return !(value >= (this.#values[slot.low] ?? NaN) && value <= (this.#values[slot.high] ?? NaN));
  }

  /** Adds the next point. */
  add(index: number, step: number, timeMs: number, value: number): void {
    if (!Number.isFinite(value)) return this.#addNonFinite(index, step, timeMs, value);
    const isFirst = this.#indices[slot.low] === empty;
    if (isFirst || value < (this.#values[slot.low] ?? NaN)) {
      this.#place(slot.low, index, step, timeMs);
      this.#values[slot.low] = value;
    }
    if (isFirst || value > (this.#values[slot.high] ?? NaN)) {
      this.#place(slot.high, index, step, timeMs);
      this.#values[slot.high] = value;
    }
  }

  /** Adds a point that is chosen whatever its value. */
  pin(index: number, step: number, timeMs: number, value: number): void {
    this.#isPlain = false;
    const free = this.#indices[slot.pinned] === empty ? slot.pinned : slot.alsoPinned;
    this.#place(free, index, step, timeMs);
    this.#values[free] = value;
  }

  /** Appends the chosen points to `columns` in order, each once. */
  appendTo(columns: PointColumns): void {
    if (this.#isPlain) return this.#appendExtremes(columns);
    const used = allSlots.filter((at) => this.#indices[at] !== empty);
    used.sort((a, b) => (this.#indices[a] ?? 0) - (this.#indices[b] ?? 0));
    let before = empty;
    for (const at of used) {
      if (this.#indices[at] !== before) this.#append(columns, at);
      before = this.#indices[at] ?? empty;
    }
  }

  clear(): void {
    this.#indices.fill(empty);
    this.#values.fill(NaN);
    this.#isPlain = true;
  }

  /** Does the same as `appendTo`, without sorting: most stretches have only these two points. */
  #appendExtremes(columns: PointColumns): void {
    const low = this.#indices[slot.low] ?? empty;
    const high = this.#indices[slot.high] ?? empty;
    if (low === empty) return;
    const isLowFirst = low < high;
    this.#append(columns, isLowFirst ? slot.low : slot.high);
    if (low !== high) this.#append(columns, isLowFirst ? slot.high : slot.low);
  }

  #append(columns: PointColumns, at: number): void {
    columns.add(
      this.#indices[at] ?? NaN,
      this.#steps[at] ?? NaN,
      this.#timesMs[at] ?? NaN,
      this.#values[at] ?? NaN,
    );
  }

  #addNonFinite(index: number, step: number, timeMs: number, value: number): void {
    this.#isPlain = false;
    const own = Number.isNaN(value) ? slot.nan : value > 0 ? slot.infinite : slot.minusInfinite;
    if (this.#indices[own] !== empty) return;
    this.#place(own, index, step, timeMs);
    this.#values[own] = value;
  }

  #place(at: number, index: number, step: number, timeMs: number): void {
    this.#indices[at] = index;
    this.#steps[at] = step;
    this.#timesMs[at] = timeMs;
  }
}
