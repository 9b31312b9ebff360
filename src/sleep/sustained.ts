/** Counts how many values in a row satisfied a comparison. */
export class Sustained {
  readonly #needed: number;
  #count = 0;

  constructor(needed = 1) {
    this.#needed = needed;
  }

  /**
   * Counts a value, with the result of its comparison. Returns true when enough values in a row,
   * including this one, satisfied the comparison.
   */
  check(isTrue: boolean): boolean {
    this.#count = isTrue ? this.#count + 1 : 0;
    return this.#count >= this.#needed;
  }
}
