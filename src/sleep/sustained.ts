/** Counts values in a row that hold. */
export class Sustained {
  readonly #needed: number;
  #count = 0;

  constructor(needed = 1) {
    this.#needed = needed;
  }

  /** Whether so many in a row hold now, this one among them. */
  check(isTrue: boolean): boolean {
    this.#count = isTrue ? this.#count + 1 : 0;
    return this.#count >= this.#needed;
  }
}
