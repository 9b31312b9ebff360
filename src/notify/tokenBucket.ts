/** Rate limiter: allows a burst of messages, then one per interval. */
import type { Clock } from '../base/clock.ts';

export interface BucketOptions {
  readonly clock: Clock;
  /** Number of tokens in a full bucket, which is the size of a burst. */
  readonly capacity: number;
  /** Time until the bucket gets one more token, in milliseconds. */
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

  /** Takes a token from the bucket. Returns false if there is none. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Returns the time until the next token is available, in milliseconds; 0 if there is one now. */
  msUntilNext(): number {
    this.#refill();
    return this.#tokens >= 1
      ? 0
      : this.#filledMs + this.#options.refillMs - this.#options.clock.now();
  }

  #refill(): void {
    const { clock, capacity, refillMs } = this.#options;
    const nowMs = clock.now();
    // If the clock was set back, no token is added or removed.
    const more = Math.max(0, Math.floor((nowMs - this.#filledMs) / refillMs));
    this.#tokens = Math.min(capacity, this.#tokens + more);
    this.#filledMs =
      nowMs < this.#filledMs || this.#tokens >= capacity ? nowMs : this.#filledMs + more * refillMs;
  }
}
