/** Computes the current step of a replay from the time for which the replay has been playing. */
import type { Speed } from './viewState.ts';

/** Maximum time for which a replay shows a step, so that hours of sleep do not stall the replay. */
export const longestWaitMs = 1_500;
/** Approximate number of frames of a whole replay at speed 0 (as fast as possible). */
const framesToEnd = 240;

export interface ReplaySteps {
  readonly count: number;
  /**
   * Returns the start time of a step; `undefined` if the step is not loaded, in which case the
   * replay waits.
   */
  timeOf(row: number): number | undefined;
}

export class ReplayClock {
  #row: number;
  /** Time for which the current step has been shown. */
  #shownMs = 0;

  constructor(row: number) {
    this.#row = row;
  }

  get row(): number {
    return this.#row;
  }

  /** Advances by `passedMs` of playing time. Returns the step to show. */
  advance(passedMs: number, speed: Speed, steps: ReplaySteps): number {
    if (speed === 0) {
      this.#row = Math.min(
        steps.count - 1,
        this.#row + Math.max(1, Math.ceil(steps.count / framesToEnd)),
      );
      return this.#row;
    }
    this.#shownMs += passedMs;
    while (this.#row < steps.count - 1) {
      const [now, next] = [steps.timeOf(this.#row), steps.timeOf(this.#row + 1)];
      if (now === undefined || next === undefined) {
        this.#shownMs = 0;
        break;
      }
      const waitMs = Math.min(longestWaitMs, Math.max(0, next - now) / speed);
      if (waitMs > this.#shownMs) break;
      this.#shownMs -= waitMs;
      this.#row += 1;
    }
    return this.#row;
  }
}
