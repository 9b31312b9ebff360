/**
 * Wall clock time. System timers stop while the computer sleeps, and would then be late by that
 * time; here, overdue timers fire as soon as the computer is awake.
 */
import { toDisposable, type Disposable } from './disposable.ts';

/** Time functions of the system. */
export interface SystemTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once, after `delayMs` during which the computer was awake. `isIdle`: the timer
   * does not keep the process alive.
   */
  after(delayMs: number, callback: () => void, isIdle?: boolean): Disposable;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** Maximum delay of an overdue timer once the computer is awake. */
const refreshEveryMs = 5_000;

/** Implements `Clock`. */
export class WallClock {
  readonly #system: SystemTime;
  /** Timers longer than the refresh interval. */
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

  /** Fires overdue timers. Only a clock jump, such as during sleep, leaves any. */
  #checkNow(): void {
    this.#check = undefined;
    const nowMs = this.now();
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= nowMs);
    for (const { fire } of due.sort((a, b) => a.dueMs - b.dueMs)) fire();
    this.#probeLater();
  }
}
