import { systemClock, type Clock } from '../../src/base/clock.ts';
import { toDisposable } from '../../src/base/disposable.ts';

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

const tickMs = 5;

/**
 * The clock of the system, which a test may move forward: for what takes minutes beside processes
 * that are real.
 */
export class WarpClock implements Clock {
  #aheadMs = 0;
  #timers: Timer[] = [];
  readonly #ticking = setInterval(() => this.#fire(), tickMs).unref();

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  after(delayMs: number, callback: () => void): { dispose(): void } {
    const timer = { atMs: this.now() + Math.max(0, delayMs), callback };
    this.#timers.push(timer);
    return toDisposable(() => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    });
  }

  /** Step by step, so that one timer after the other becomes due and what they begin gets on. */
  async warp(byMs: number, stepMs = 1000): Promise<void> {
    for (let leftMs = byMs; leftMs > 0; leftMs -= stepMs) {
      this.#aheadMs += Math.min(leftMs, stepMs);
      await new Promise((resolve) => setTimeout(resolve, tickMs * 2));
    }
  }

  dispose(): void {
    clearInterval(this.#ticking);
    this.#timers = [];
  }

  #fire(): void {
    const nowMs = this.now();
    const due = this.#timers.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > nowMs);
    for (const { callback } of due) callback();
  }
}
