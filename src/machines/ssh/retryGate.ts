import type { Clock } from '../../base/clock.ts';
import { backoffMs } from '../../base/retries.ts';
import type { MachineFailure } from '../machine.ts';

/** The first retry after a steady connection comes soon, and each further one later. */
const lostPolicy = { firstMs: 500, factor: 2, longestMs: 60_000, jitter: 0.5 };
/**
 * Repeated attempts of a user who is not let in lead to a ban soon. A user who acts does not wait
 * for it.
 */
const refusedLoginPolicy = { firstMs: 300_000, jitter: 0.5 };

/** Decides when a host is tried again that could not be reached. */
export class RetryGate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failure: MachineFailure | undefined;
  #failures = 0;
  #retryAtMs = 0;

  /** `random`: 0 ≤ x < 1; spreads the retries of many. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The last failure, until the gate is opened. */
  get failure(): MachineFailure | undefined {
    return this.#failure;
  }

  /** How long a call would still fail without a try. */
  get waitMs(): number {
    return this.#failure ? Math.max(0, this.#retryAtMs - this.#clock.now()) : 0;
  }

  close(failure: MachineFailure): void {
    const policy = isLoginRefused(failure) ? refusedLoginPolicy : lostPolicy;
    this.#failure = failure;
    this.#retryAtMs = this.#clock.now() + backoffMs(policy, this.#failures++, this.#random);
  }

  /** Forgets the failure. The next one still counts as a further one. */
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
