import { toDisposable, type Disposable } from './disposable.ts';

export type Listener<T> = (value: T) => void;

/** Subscribes a listener; dispose the result to unsubscribe. */
export type Event<T> = (listener: Listener<T>) => Disposable;

/**
 * Delivers values to listeners in the order of subscription. If a listener throws, the other
 * listeners still receive the value, and the error is passed to `onError`. By default, `onError`
 * rethrows the error asynchronously, so that it is reported as an uncaught error.
 */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<Listener<T>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = rethrowLater) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    // Wrap the listener: if the same listener subscribes twice, the set must store two functions.
    const wrapped: Listener<T> = (value) => listener(value);
    this.#listeners.add(wrapped);
    return toDisposable(() => this.#listeners.delete(wrapped));
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
