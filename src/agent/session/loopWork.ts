/** The work of a session's loop in this process: at most one loop at a time, which can be aborted. */
export class LoopWork {
  #working: Promise<void> | undefined;
  #abort = new AbortController();

  get isGoing(): boolean {
    return this.#working !== undefined;
  }

  /** Resolves when no loop works. */
  get idle(): Promise<void> {
    return Promise.resolve(this.#working);
  }

  /** Starts `work`, which must not reject. Calls `onEnd` at its end, unless it was aborted. */
  start(work: (signal: AbortSignal) => Promise<void>, onEnd: () => void): void {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#working = work(signal).then(() => {
      this.#working = undefined;
      if (!signal.aborted) onEnd();
    });
  }

  abort(why: unknown): void {
    this.#abort.abort(why);
  }
}
