/** Connects questions at the terminal with the session that the terminal follows. */

/** Kept across questions: lines typed at a question that are no answer, and how to deny it. */
export class Asking {
  readonly #kept: string[] = [];
  #deny: (() => void) | undefined;
  #onLine: ((line: string) => void) | undefined;

  /** Calls the listener with each kept line once the question was answered. */
  listen(onLine: (line: string) => void): void {
    this.#onLine = onLine;
  }

  /** Called when a question is shown. */
  begin(deny: () => void): void {
    this.#deny = deny;
  }

  keep(line: string): void {
    this.#kept.push(line);
  }

  /**
   * Called when the question was answered or withdrawn. A question is withdrawn when the session
   * stops, and no line continues it.
   */
  end(how: 'answered' | 'withdrawn'): void {
    this.#deny = undefined;
    if (how === 'withdrawn') return;
    if (this.#onLine !== undefined) for (const line of this.#kept.splice(0)) this.#onLine(line);
  }

  /** Denies the question that is shown. Returns false if none is. */
  interrupt(): boolean {
    const deny = this.#deny;
    deny?.();
    return deny !== undefined;
  }
}
