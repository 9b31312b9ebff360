/**
 * Time for which this computer has been awake, as far as this process has seen. A beat that comes
 * late was missed, because the computer slept or this process was stopped.
 */

/** Time functions of the operating system. */
export interface BeatTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` again and again, without keeping the process alive. */
  every(intervalMs: number, callback: () => void): void;
}

const beatMs = 5_000;
/** Gap between two beats that shows that at least one was missed. */
const missedAfterMs = 2 * beatMs;

const systemTime: BeatTime = {
  now: () => Date.now(),
  every: (intervalMs, callback) => void setInterval(callback, intervalMs).unref(),
};

export class AwakeTime {
  readonly #time: BeatTime;
  #sinceMs: number;
  #lastBeatMs: number;
  #hasSlept = false;

  /** Begins to watch: what was before is not known. */
  constructor(time = systemTime) {
    this.#time = time;
    this.#sinceMs = time.now();
    this.#lastBeatMs = this.#sinceMs;
    time.every(beatMs, () => this.#beat());
  }

  /** Whether this process has seen the computer sleep. */
  get hasSlept(): boolean {
    this.#beat();
    return this.#hasSlept;
  }

  /** Returns the milliseconds since the computer woke up last, at most those since the beginning. */
  awakeMs(): number {
    this.#beat();
    return this.#lastBeatMs - this.#sinceMs;
  }

  #beat(): void {
    const nowMs = this.#time.now();
    if (Math.abs(nowMs - this.#lastBeatMs) > missedAfterMs) {
      this.#sinceMs = nowMs;
      this.#hasSlept = true;
    }
    this.#lastBeatMs = nowMs;
  }
}
