/** Which step a replay has come to. Pure: whoever plays tells it how much time has passed. */
import type { Speed } from './viewState.ts';

/** On the screen: the hours of a sleep are not waited for. */
export const longestWaitMs = 1_500;
/** To the end at any length: about so many frames. */
const framesToEnd = 240;

export interface ReplaySteps {
  readonly count: number;
  /** When a step began; `undefined` where it is not known yet: the replay waits there. */
  timeOf(row: number): number | undefined;
}

export class ReplayClock {
  #row: number;
  /** Time that has passed since the step was reached and is not used up, on the screen. */
  #leftMs = 0;

  constructor(row: number) {
    this.#row = row;
  }

  get row(): number {
    return this.#row;
  }

  /** `passedMs` on the screen. */
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
