/** Reports a problem only once. Reports it again only after the problem has ceased to hold. */
export class Latch {
  #detail: string | undefined;

  /** The reported text while the problem holds; otherwise `undefined`. */
  get holding(): string | undefined {
    return this.#detail;
  }

  /** Returns `detail()`, or `undefined` if the problem was already reported and still holds. */
  raise(detail: () => string): string | undefined {
    if (this.#detail !== undefined) return undefined;
    this.#detail = detail();
    return this.#detail;
  }

  clear(): void {
    this.#detail = undefined;
  }
}
