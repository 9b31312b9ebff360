/** Detects GPUs that a run has leased and does not use. */
import { Latch } from './latch.ts';

export interface GpuIdleLimits {
  readonly belowPercent: number;
  readonly minutes: number;
}

/**
 * Maximum interval between two samples. After a longer interval, the idle time starts again at 0.
 */
const longestGapMs = 30_000;

export class GpuIdleWatch {
  readonly latch = new Latch();
  readonly #limits: GpuIdleLimits;
  #idle: { readonly sinceMs: number; seenMs: number } | undefined;

  constructor(limits: GpuIdleLimits) {
    this.#limits = limits;
  }

  /**
   * Adds a sample: the utilisation of each GPU of the run, 0 to 100; empty if unknown. Returns the
   * text of the alarm if one is to be raised.
   */
  judge(atMs: number, percents: readonly number[]): string | undefined {
    const isBusy = percents.some((percent) => percent >= this.#limits.belowPercent);
    if (isBusy) this.latch.clear();
    const gapMs = atMs - (this.#idle?.seenMs ?? atMs);
    if (isBusy || percents.length === 0 || gapMs > longestGapMs) this.#idle = undefined;
    if (isBusy || percents.length === 0) return undefined;
    this.#idle ??= { sinceMs: atMs, seenMs: atMs };
    this.#idle.seenMs = atMs;
    const idleMs = atMs - this.#idle.sinceMs;
    if (idleMs < this.#limits.minutes * 60_000) return undefined;
    const what = percents.length === 1 ? 'its GPU was' : `its ${percents.length} GPUs were`;
    return this.latch.raise(
      () => `${what} below ${this.#limits.belowPercent} % for ${Math.round(idleMs / 60_000)} min`,
    );
  }
}
