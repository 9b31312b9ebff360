import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** Maximum part of the time in which `flush` works: one tenth. */
const pausePerWork = 9;
/** Longest pause after a long `flush`, so that the computer may sleep in between. */
const maxPauseMs = 5000;

/**
 * Limits how often `flush` is called: at most once per `frameMs`, for any number of requests, and
 * less often if `flush` takes long. The first request after a pause calls `flush` without delay.
 */
export class Frames implements Disposable {
  readonly #clock: Clock;
  readonly #frameMs: number;
  readonly #flush: () => void;
  #timer: Disposable | undefined;
  /** Earliest time of the next call. */
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, frameMs: number, flush: () => void) {
    this.#clock = clock;
    this.#frameMs = frameMs;
    this.#flush = flush;
  }

  request(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#nextMs - this.#clock.now());
    this.#timer = this.#clock.after(waitMs, () => {
      this.#timer = undefined;
      const startedMs = this.#clock.now();
      this.#nextMs = startedMs + this.#frameMs;
      this.#flush();
      const endedMs = this.#clock.now();
      const pauseMs = Math.min(maxPauseMs, pausePerWork * (endedMs - startedMs));
      this.#nextMs = Math.max(this.#nextMs, endedMs + pauseMs);
    });
  }

  /** Cancels pending requests. Later requests still work. */
  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
