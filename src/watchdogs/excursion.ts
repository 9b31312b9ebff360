/** The points of a series since it left its range: whether it stays away, or is on its way back. */

/** One that takes longer to come back does not. */
const maxPoints = 2000;
/** It comes back while it loses more than this share of its height. */
const minLost = 0.1;
/** Points whose median tells how far away it is. */
const lastPoints = 8;

export class Excursion {
  readonly #values: number[] = [];

  /** As many as are needed. */
  get values(): readonly number[] {
    return this.#values;
  }

  get points(): number {
    return this.#values.length;
  }

  /** The median of the last few. */
  get level(): number {
    return medianOf(this.#values.slice(-lastPoints));
  }

  add(value: number): void {
    if (this.#values.length < maxPoints) this.#values.push(value);
  }

  /**
   * Its last third is nearer to `best` than its first: what a restart, a new task or a resumed
   * checkpoint does.
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
