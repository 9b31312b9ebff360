/** Reports a condition once, and again only after it has ceased to hold. */
export class Latch {
  #detail: string | undefined;

  /** The reported text, while the condition holds. */
  get holding(): string | undefined {
    return this.#detail;
  }

  /** Returns `detail()`, or `undefined` if the condition was reported already. */
  raise(detail: () => string): string | undefined {
    if (this.#detail !== undefined) return undefined;
    this.#detail = detail();
    return this.#detail;
  }

  clear(): void {
    this.#detail = undefined;
  }
}
