import { toDisposable } from '../../src/base/disposable.ts';
import { Emitter, type Event } from '../../src/base/emitter.ts';

/** Knows whether anybody still listens, so that a test sees a listener that was left behind. */
export class WatchedEmitter<T> {
  readonly #emitter = new Emitter<T>();
  #listeners = 0;

  readonly event: Event<T> = (listener) => {
    const subscription = this.#emitter.event(listener);
    this.#listeners += 1;
    return toDisposable(() => {
      this.#listeners -= 1;
      subscription.dispose();
    });
  };

  fire(value: T): void {
    this.#emitter.fire(value);
  }

  get hasListeners(): boolean {
    return this.#listeners > 0;
  }
}
