/** Holds a resource until disposed. Disposing a second time has no effect. */
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
 * Owns disposables. Disposing the store disposes each of them once, the newest first. An object
 * that is added to a disposed store is disposed immediately. Errors are thrown as one
 * `AggregateError` after all objects were disposed.
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
