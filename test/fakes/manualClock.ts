import type { Clock } from '../../src/base/clock.ts';
import { toDisposable } from '../../src/base/disposable.ts';

interface Timer {
  atMs: number;
  callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  #timers: Timer[] = [];

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): { dispose(): void } {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.push(timer);
    return toDisposable(() => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    });
  }

  /** Moves time forward within one piece of work: no timer fires meanwhile. */
  pass(byMs: number): void {
    this.#nowMs += byMs;
  }

  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** Whether a timer is set that fires `delayMs` from now. */
  hasTimer(delayMs: number): boolean {
    return this.#timers.some(({ atMs }) => atMs === this.#nowMs + delayMs);
  }

  /** Moves time forward, firing due timers in order and letting promises settle between them. */
  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      await settle();
      const due = this.#timers
        .filter((timer) => timer.atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
    await settle();
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
