import type { Clock } from '../../base/clock.ts';
import { backoffMs } from '../../base/retries.ts';
import type { MachineFailure } from '../machine.ts';

/**
 * Delays between attempts after a connection was lost or failed: the first delay is short, and
 * further delays grow.
 */
const lostPolicy = { firstMs: 500, factor: 2, longestMs: 60_000, jitter: 0.5 };
/**
 * Delays between attempts after a refused login. Long, because many servers ban an address after
 * repeated attempts. An action of the user skips the delay.
 */
const refusedLoginPolicy = { firstMs: 300_000, jitter: 0.5 };

/** Decides when to try an unreachable host again. */
export class RetryGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failure: MachineFailure | undefined;
  #failures = 0;
  #retryAtMs = 0;

  /** @param random Returns 0 ≤ x < 1; spreads the retries of many hosts. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The last failure; `undefined` after `open`. */
  get failure(): MachineFailure | undefined {
    return this.#failure;
  }

  /** Milliseconds until the next attempt. Until then, calls fail immediately. */
  get waitMs(): number {
    return this.#failure ? Math.max(0, this.#retryAtMs - this.#clock.now()) : 0;
  }

  /** Records a failure, after which calls fail until the delay is over. */
  close(failure: MachineFailure): void {
    const policy = isLoginRefused(failure) ? refusedLoginPolicy : lostPolicy;
    this.#failure = failure;
    this.#retryAtMs = this.#clock.now() + backoffMs(policy, this.#failures++, this.#random);
  }

  /** Forgets the failure, but not the number of failures, so the delay keeps growing. */
  open(): void {
    this.#failure = undefined;
  }

  /** Ends the delay, so that the next call connects immediately. */
  endWait(): void {
    this.#retryAtMs = 0;
  }

  /** Resets the number of failures. */
  restart(): void {
    this.#failures = 0;
  }
}

export const isLoginRefused = ({ reason }: MachineFailure): boolean =>
  reason === 'auth' || reason === 'host_key';
