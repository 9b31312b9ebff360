import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/**
 * Limits how often `flush` is called: at most once per `frameMs`, for any number of requests. The
 * first request after a pause calls `flush` without delay.
 */
export class Frames implements Disposable {
  readonly #clock: Clock;
  readonly #frameMs: number;
  readonly #flush: () => void;
  #timer: Disposable | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, frameMs: number, flush: () => void) {
    this.#clock = clock;
    this.#frameMs = frameMs;
    this.#flush = flush;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#lastMs + this.#frameMs - this.#clock.now());
    this.#timer = this.#clock.after(waitMs, () => {
      this.#timer = undefined;
      this.#lastMs = this.#clock.now();
      this.#flush();
    });
  }

  /** Cancels pending requests. Later requests still work. */
  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
