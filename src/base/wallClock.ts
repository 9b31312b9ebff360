/**
 * Time as the wall has it. Timers of the system stand still while the computer sleeps, and would
 * then be late by as long as it slept; here, what became due meanwhile is called as soon as it is
 * awake.
 */
import { toDisposable, type Disposable } from './disposable.ts';

/** What the system offers. */
export interface SystemTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once, after `delayMs` in which the computer was awake. `isIdle`: it keeps no
   * process alive.
   */
  after(delayMs: number, callback: () => void, isIdle?: boolean): Disposable;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** How late a timer is at most once the computer is awake. */
const refreshEveryMs = 5_000;

/** A `Clock`. */
export class WallClock {
  readonly #system: SystemTime;
  /** Those that last longer than a look. */
  readonly #waiting = new Set<Timer>();
  #check: Disposable | undefined;

  constructor(system: SystemTime) {
    this.#system = system;
  }

  now(): number {
    return this.#system.now();
  }

  after(delayMs: number, callback: () => void): Disposable {
    if (delayMs <= refreshEveryMs) return this.#system.after(Math.max(0, delayMs), callback);
    const end = (): void => {
      this.#waiting.delete(timer);
      armed.dispose();
    };
    const fire = (): void => {
      end();
      callback();
    };
    const timer: Timer = { dueMs: this.now() + delayMs, fire };
    const armed = this.#system.after(delayMs, fire);
    this.#waiting.add(timer);
    this.#probeLater();
    return toDisposable(end);
  }

  #probeLater(): void {
    if (this.#waiting.size === 0) return;
    this.#check ??= this.#system.after(refreshEveryMs, () => this.#checkNow(), true);
  }

  /** Due and not called yet is only what the system counts from before the clock jumped. */
  #checkNow(): void {
    this.#check = undefined;
    const nowMs = this.now();
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= nowMs);
    for (const { fire } of due.sort((a, b) => a.dueMs - b.dueMs)) fire();
    this.#probeLater();
  }
}
