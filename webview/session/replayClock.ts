/** Computes the current step of a replay from the time that has passed on the screen. */
import type { Speed } from './viewState.ts';

/** Maximum time on the screen per step, so that a replay does not wait through hours of sleep. */
export const longestWaitMs = 1_500;
/** Approximate number of frames for a whole replay at full speed. */
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
  /** Time on the screen that has passed since the step was reached and is not used up. */
  #leftMs = 0;

  constructor(row: number) {
    this.#row = row;
  }

  get row(): number {
    return this.#row;
  }

  /** Advances by `passedMs` of time on the screen. Returns the current step. */
  advance(passedMs: number, speed: Speed, steps: ReplaySteps): number {
    if (speed === 0) {
      this.#row = Math.min(
        steps.count - 1,
        this.#row + Math.max(1, Math.ceil(steps.count / framesToEnd)),
      );
      return this.#row;
    }
    this.#leftMs += passedMs;
    while (this.#row < steps.count - 1) {
      const [now, next] = [steps.timeOf(this.#row), steps.timeOf(this.#row + 1)];
      if (now === undefined || next === undefined) {
        this.#leftMs = 0;
        break;
      }
      const waitMs = Math.min(longestWaitMs, Math.max(0, next - now) / speed);
      if (waitMs > this.#leftMs) break;
      this.#leftMs -= waitMs;
      this.#row += 1;
    }
    return this.#row;
  }
}
