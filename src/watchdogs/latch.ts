/** Tells once that something holds, and again only after it has ceased to. */
export class Latch {
  #detail: string | undefined;

  /** What was told, while it holds. */
  get holding(): string | undefined {
    return this.#detail;
  }

  /** `detail` when it is to be told, `undefined` when it was told already. */
  raise(detail: () => string): string | undefined {
    if (this.#detail !== undefined) return undefined;
    this.#detail = detail();
    return this.#detail;
  }

  clear(): void {
    this.#detail = undefined;
  }
}
