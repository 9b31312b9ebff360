/** Connects approval questions at the terminal with the session that the terminal follows. */

/**
 * The state of the question that the terminal shows: how to deny it, and the typed lines that are
 * no answer.
 */
export class Asking {
  readonly #kept: string[] = [];
  #deny: (() => void) | undefined;
  #onLine: ((line: string) => void) | undefined;

  /** Sets the listener that gets these lines after the question was answered. */
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
   * stops; typed lines are then not passed on, because a line would continue the session.
   */
  end(how: 'answered' | 'withdrawn'): void {
    this.#deny = undefined;
    if (how === 'withdrawn') return;
    if (this.#onLine !== undefined) for (const line of this.#kept.splice(0)) this.#onLine(line);
  }

  /** Denies the question that is shown. Returns false if no question is shown. */
  interrupt(): boolean {
    const deny = this.#deny;
    deny?.();
    return deny !== undefined;
  }
}
