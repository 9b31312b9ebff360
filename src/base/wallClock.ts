/**
 * A clock whose timers also count the time during which the computer sleeps. System timers stop
 * during sleep and would therefore be late. This clock fires overdue timers soon after the computer
 * wakes up.
 */
import { toDisposable, type Disposable } from './disposable.ts';

/** Time functions of the operating system. */
export interface SystemTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once, after `delayMs` of time during which the computer was awake. If `isIdle`
   * is true, the timer does not keep the process alive.
   */
  after(delayMs: number, callback: () => void, isIdle?: boolean): Disposable;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/**
 * Interval at which timers are checked, and so the longest time that an overdue timer waits after
 * the computer wakes up.
 */
const checkEveryMs = 5_000;

export class WallClock {
  readonly #system: SystemTime;
  /** Timers longer than `checkEveryMs`, which must be checked after the computer sleeps. */
  readonly #waiting = new Set<Timer>();
  #check: Disposable | undefined;

  constructor(system: SystemTime) {
    this.#system = system;
  }

  now(): number {
    return this.#system.now();
  }

  after(delayMs: number, callback: () => void): Disposable {
    if (delayMs <= checkEveryMs) return this.#system.after(Math.max(0, delayMs), callback);
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
    this.#checkLater();
    return toDisposable(end);
  }

  #checkLater(): void {
    if (this.#waiting.size === 0) return;
    this.#check ??= this.#system.after(checkEveryMs, () => this.#checkNow(), true);
  }

  /**
   * Fires overdue timers. Timers are overdue only after the clock jumped, for example because the
   * computer slept.
   */
  #checkNow(): void {
    this.#check = undefined;
    const nowMs = this.now();
    const due = [...this.#waiting].filter(({ dueMs }) => dueMs <= nowMs);
    for (const { fire } of due.sort((a, b) => a.dueMs - b.dueMs)) fire();
    this.#checkLater();
  }
}
