import type { SeriesColumns } from '../metric.ts';

/** Averages of consecutive stretches of a series, as parallel columns, oldest stretch first. */
export interface MeanColumns {
  /** Average of the finite values of each stretch; NaN if there are none. */
  readonly means: Float64Array;
  /** Number of finite values in each stretch. */
  readonly finiteCounts: Float64Array;
  /** Position after the last point of each stretch. */
  readonly ends: Float64Array;
  /** Step and time of the last point of each stretch. */
  readonly steps: Float64Array;
  readonly timesMs: Float64Array;
}

/**
 * Averages a series over stretches of equal length. The length doubles whenever there are `limit`
 * stretches.
 */
export class StretchMeans {
  readonly #limit: number;
  readonly #columns: MeanColumns;
  #stride = 1;
  #count = 0;
  #pointCount = 0;

  constructor(limit: number) {
    this.#limit = limit;
    const column = (): Float64Array => new Float64Array(limit);
    this.#columns = {
      means: column(),
      finiteCounts: column(),
      ends: column(),
      steps: column(),
      timesMs: column(),
    };
  }

  /** Number of stretches for which memory is reserved. */
  get capacity(): number {
    return this.#limit;
  }

  add({ steps, timesMs, values }: SeriesColumns): void {
    for (let from = 0; from < values.length;) {
      const isFull = this.#count === this.#limit && this.#pointCount % this.#stride === 0;
      if (isFull) this.#halve();
      if (this.#pointCount % this.#stride === 0) this.#open();
      const room = this.#stride - (this.#pointCount % this.#stride);
      const to = Math.min(values.length, from + room);
      this.#pointCount += to - from;
      const at = this.#count - 1;
      this.#columns.ends[at] = this.#pointCount;
      this.#columns.steps[at] = steps[to - 1] ?? NaN;
      this.#columns.timesMs[at] = timesMs[to - 1] ?? NaN;
      this.#addValues(at, values.subarray(from, to));
      from = to;
    }
  }

  #addValues(at: number, values: Float64Array): void {
    let weight = this.#columns.finiteCounts[at] ?? 0;
    let mean = weight === 0 ? 0 : (this.#columns.means[at] ?? 0);
    for (let each = 0; each < values.length; each++) {
      const value = values[each] ?? NaN;
      if (!Number.isFinite(value)) continue;
      weight++;
      // Dividing each term keeps the average finite for values near the largest number.
      mean += value / weight - mean / weight;
    }
    this.#columns.finiteCounts[at] = weight;
    this.#columns.means[at] = weight === 0 ? NaN : mean;
  }

  /** Returns views: read them before the next point is added. */
  columns(): MeanColumns {
    const { means, finiteCounts, ends, steps, timesMs } = this.#columns;
    return {
      means: means.subarray(0, this.#count),
      finiteCounts: finiteCounts.subarray(0, this.#count),
      ends: ends.subarray(0, this.#count),
      steps: steps.subarray(0, this.#count),
      timesMs: timesMs.subarray(0, this.#count),
    };
  }

  /** Returns the averages of stretches at least twice as long, at most `limit` of them. */
  restricted(limit: number): StretchMeans {
    const smaller = new StretchMeans(limit);
    while (this.#count > limit) this.#halve();
    smaller.#stride = this.#stride;
    smaller.#count = this.#count;
    smaller.#pointCount = this.#pointCount;
    for (const name of Object.keys(this.#columns) as (keyof MeanColumns)[])
      smaller.#columns[name].set(this.#columns[name].subarray(0, this.#count));
    return smaller;
  }

  #open(): void {
    this.#columns.means[this.#count] = NaN;
    this.#columns.finiteCounts[this.#count] = 0;
    this.#count++;
  }

  #halve(): void {
    const { means, finiteCounts, ends, steps, timesMs } = this.#columns;
    const half = Math.ceil(this.#count / 2);
    for (let to = 0; to < half; to++) {
      const first = to * 2;
      const last = Math.min(first + 1, this.#count - 1);
      const [weight, lastWeight] = [finiteCounts[first] ?? 0, finiteCounts[last] ?? 0];
      const isPair = last > first && lastWeight > 0;
      const mean = means[first] ?? NaN;
      means[to] = isPair ? meanOf(mean, weight, means[last] ?? NaN, lastWeight) : mean;
      finiteCounts[to] = weight + (isPair ? lastWeight : 0);
      for (const column of [ends, steps, timesMs]) column[to] = column[last] ?? NaN;
    }
    this.#count = half;
    this.#stride *= 2;
  }
}

/** Weighted average of two averages. Stays finite for values near the largest number. */
function meanOf(mean: number, weight: number, other: number, otherWeight: number): number {
  if (weight === 0) return other;
  const total = weight + otherWeight;
  return mean * (weight / total) + other * (otherWeight / total);
}
