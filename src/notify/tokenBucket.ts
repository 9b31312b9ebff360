/** So many at once, and then one each time. */
import type { Clock } from '../base/clock.ts';

export interface BucketOptions {
  readonly clock: Clock;
  /** At most so many at once. */
  readonly capacity: number;
  /** After this time there is one more. */
  readonly refillMs: number;
}

export class TokenBucket {
  readonly #options: BucketOptions;
  #tokens: number;
  #filledMs: number;

  constructor(options: BucketOptions) {
    this.#options = options;
    this.#tokens = options.capacity;
    this.#filledMs = options.clock.now();
  }

  /** False when there is none. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** 0 when there is one now. */
  msUntilNext(): number {
    this.#refill();
    return this.#tokens >= 1
      ? 0
      : this.#filledMs + this.#options.refillMs - this.#options.clock.now();
  }

  #refill(): void {
    const { clock, capacity, refillMs } = this.#options;
    const nowMs = clock.now();
    // A clock that was set back gives nothing, and takes nothing.
    const more = Math.max(0, Math.floor((nowMs - this.#filledMs) / refillMs));
    this.#tokens = Math.min(capacity, this.#tokens + more);
    this.#filledMs =
      nowMs < this.#filledMs || this.#tokens >= capacity ? nowMs : this.#filledMs + more * refillMs;
  }
}
