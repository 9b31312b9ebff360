import type { Clock } from '../../base/clock.ts';
import { backoffMs } from '../../base/retries.ts';
import type { MachineFailure } from '../machine.ts';

/** Retry delays after a steady connection was lost: the first is short, further ones grow. */
const lostPolicy = { firstMs: 500, factor: 2, longestMs: 60_000, jitter: 0.5 };
/**
 * Retry delays after a refused login, long because repeated attempts soon lead to a ban. An action
 * of the user skips them.
 */
const refusedLoginPolicy = { firstMs: 300_000, jitter: 0.5 };

/** Decides when an unreachable host is tried again. */
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

  /** Last failure, until the gate is opened. */
  get failure(): MachineFailure | undefined {
    return this.#failure;
  }

  /** Milliseconds for which calls fail without an attempt. */
  get waitMs(): number {
    return this.#failure ? Math.max(0, this.#retryAtMs - this.#clock.now()) : 0;
  }

  close(failure: MachineFailure): void {
    const policy = isLoginRefused(failure) ? refusedLoginPolicy : lostPolicy;
    this.#failure = failure;
    this.#retryAtMs = this.#clock.now() + backoffMs(policy, this.#failures++, this.#random);
  }

  /** Forgets the failure, but not the count: the next failure is a further one. */
  open(): void {
    this.#failure = undefined;
  }

  /** Lets the next call try at once. */
  endWait(): void {
    this.#retryAtMs = 0;
  }

  /** Counts the next failure as the first. */
  restart(): void {
    this.#failures = 0;
  }
}

export const isLoginRefused = ({ reason }: MachineFailure): boolean =>
  reason === 'auth' || reason === 'host_key';
