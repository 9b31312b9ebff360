/**
 * A run that prints nothing. Only time in which it was watched counts: not that of a computer that
 * slept.
 */
import { Latch } from './latch.ts';

/** Beats further apart than this were not beats of a computer that was awake. */
const longestBeatMs = 60_000;
/**
 * Who speaks seldom (an epoch of 40 min) has to be silent for so many times as long as before it
 * spoke.
 */
const longerFactor = 2;

export class SilenceWatch {
  readonly latch = new Latch();
  readonly #minutes: number;
  #heardMs: number | undefined;
  #beatMs: number | undefined;
  #silentMs = 0;
  #longestMs = 0;

  constructor(minutes: number) {
    this.#minutes = minutes;
  }

  /**
   * Asked now and then while the run is known to go on. `lastOutputMs`: when output was last read,
   * if ever.
   */
  beat(nowMs: number, lastOutputMs: number | undefined): string | undefined {
    const passedMs = nowMs - (this.#beatMs ?? nowMs);
    const hasSpoken = this.#beatMs !== undefined && lastOutputMs !== this.#heardMs;
    this.#beatMs = nowMs;
    this.#heardMs = lastOutputMs;
    if (hasSpoken) this.#longestMs = Math.max(this.#longestMs, this.#silentMs);
    this.#silentMs = hasSpoken
      ? 0
      : this.#silentMs + Math.max(0, Math.min(passedMs, longestBeatMs));
    if (hasSpoken) this.latch.clear();
    if (this.#silentMs < Math.max(this.#minutes * 60_000, longerFactor * this.#longestMs))
      return undefined;
    return this.latch.raise(() => `no output for ${Math.round(this.#silentMs / 60_000)} min`);
  }

  /** The machine does not answer: nothing can be told of this time. */
  skip(): void {
    this.#beatMs = undefined;
  }
}
