/** Counts consecutive values that hold. */
export class Sustained {
  readonly #needed: number;
  #count = 0;

  constructor(needed = 1) {
    this.#needed = needed;
  }

  /** Counts the value. Returns whether enough values in a row hold, this one included. */
  check(isTrue: boolean): boolean {
    this.#count = isTrue ? this.#count + 1 : 0;
    return this.#count >= this.#needed;
  }
}
