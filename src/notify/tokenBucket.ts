/** Rate limit: a burst, then one at a time. */
import type { Clock } from '../base/clock.ts';

export interface BucketOptions {
  readonly clock: Clock;
  /** Size of the burst. */
  readonly capacity: number;
  /** Time until one more token. */
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

  /** Takes a token. Returns false if there is none. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Returns 0 if there is a token now. */
  msUntilNext(): number {
    this.#refill();
    return this.#tokens >= 1
      ? 0
      : this.#filledMs + this.#options.refillMs - this.#options.clock.now();
  }

  #refill(): void {
    const { clock, capacity, refillMs } = this.#options;
    const nowMs = clock.now();
    // A clock that was set back neither adds nor removes tokens.
    const more = Math.max(0, Math.floor((nowMs - this.#filledMs) / refillMs));
    this.#tokens = Math.min(capacity, this.#tokens + more);
    this.#filledMs =
      nowMs < this.#filledMs || this.#tokens >= capacity ? nowMs : this.#filledMs + more * refillMs;
  }
}
