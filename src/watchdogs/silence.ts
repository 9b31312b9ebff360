/**
 * Detects a run that prints nothing. Counts only time in which this process observed the run, not
 * time in which the computer slept.
 */
import { Latch } from './latch.ts';

/**
 * Maximum time that one interval between two calls of `beat` adds to the measured silence. During a
 * longer interval, the computer probably slept.
 */
const longestBeatMs = 60_000;
/**
 * A run that rarely prints (an epoch of 40 min) is reported only after it has been silent for this
 * multiple of its longest silence so far.
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
   * Must be called regularly while the run is known to be active. `lastOutputMs`: when output was
   * last read, if ever. Returns the text of the alarm if one is to be raised.
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

  /** Skips time during which the machine does not answer. */
  skip(): void {
    this.#beatMs = undefined;
  }
}
