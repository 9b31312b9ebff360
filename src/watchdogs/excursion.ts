/**
 * Collects the points of a metric since the metric left its range, and decides whether the metric
 * is coming back.
 */

/**
 * Maximum number of stored points. An excursion of this length is never considered to be coming
 * back.
 */
const maxPoints = 2000;
/**
 * Share (0 to 1) of its height above the best value that an excursion must lose to be considered to
 * be coming back.
 */
const minLost = 0.1;
/** Number of last points whose median is the level of the excursion. */
const lastPoints = 8;

export class Excursion {
  readonly #values: number[] = [];

  /** The first values, up to `maxPoints`. */
  get values(): readonly number[] {
    return this.#values;
  }

  get points(): number {
    return this.#values.length;
  }

  /** Median of the last `lastPoints` values. */
  get level(): number {
    return medianOf(this.#values.slice(-lastPoints));
  }

  add(value: number): void {
    if (this.#values.length < maxPoints) this.#values.push(value);
  }

  /**
   * Returns whether the metric is coming back: the last third of the excursion is closer to `best`
   * than the first third, as after a restart, a new task or a resumed checkpoint.
   */
  isComingBack(best: number): boolean {
    const third = Math.floor(this.#values.length / 3);
    if (third === 0 || this.#values.length >= maxPoints) return false;
    const first = medianOf(this.#values.slice(0, third));
    return medianOf(this.#values.slice(-third)) < first - minLost * (first - best);
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
