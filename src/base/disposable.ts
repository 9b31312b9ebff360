/** Something that holds a resource until told to let go. Disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

export const toDisposable = (release: () => void): Disposable => {
  let isDisposed = false;
  return {
    dispose() {
      if (isDisposed) return;
      isDisposed = true;
      release();
    },
  };
};

/**
 * Owns disposables and lets go of them newest first, once. Adding to a disposed store disposes the
 * newcomer at once. Errors while disposing are collected and thrown together after everything was
 * let go.
 */
export class DisposableStore implements Disposable {
  #owned: Disposable[] = [];
  #isDisposed = false;

  add<T extends Disposable>(owned: T): T {
    if (this.#isDisposed) owned.dispose();
    else this.#owned.push(owned);
    return owned;
  }

  dispose(): void {
    this.#isDisposed = true;
    const errors: unknown[] = [];
    for (const owned of this.#owned.splice(0).reverse()) {
      try {
        owned.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, 'Errors while disposing');
  }
}
