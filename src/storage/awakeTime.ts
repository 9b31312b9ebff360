/**
 * Time for which this computer has been awake, as far as this process has seen. A beat that comes
 * late was missed, because the computer slept or this process was stopped.
 */
import { performance } from 'node:perf_hooks';
import { uptime } from 'node:os';
import { Emitter } from '../base/emitter.ts';

/** Time functions of the operating system. */
export interface BeatTime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since any moment. On Linux without the time for which the computer slept. */
  tickingMs(): number;
  /** Milliseconds since the computer started, also those that it slept. */
  uptimeMs(): number;
  /** Calls `callback` again and again, without keeping the process alive. */
  every(intervalMs: number, callback: () => void): void;
}

/** Time in which this process did nothing, or by which the clock was set forward. */
export interface Standstill {
  readonly durationMs: number;
  /**
   * True if the computer slept all the time. False if this is not known: only Linux has a clock
   * that stops while the computer sleeps.
   */
  readonly isAsleep: boolean;
}

const beatMs = 5_000;
/** Gap between two beats that shows that at least one was missed. */
const missedAfterMs = 2 * beatMs;

const systemTime: BeatTime = {
  now: () => Date.now(),
  tickingMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
  every: (intervalMs, callback) => void setInterval(callback, intervalMs).unref(),
};

/** Values of the clocks at a beat. */
interface Beat {
  readonly nowMs: number;
  readonly tickingMs: number;
  readonly uptimeMs: number;
}

export class AwakeTime {
  readonly #time: BeatTime;
  readonly #stoodStill = new Emitter<Standstill>();
  #sinceMs: number;
  #last: Beat;
  #hasSlept = false;

  /** Begins to watch: what was before is not known. */
  constructor(time = systemTime) {
    this.#time = time;
    this.#last = this.#read();
    this.#sinceMs = this.#last.nowMs;
    time.every(beatMs, () => this.look());
  }

  /** Fires after a beat was missed. */
  readonly onDidStandStill = this.#stoodStill.event;

  /** Whether this process has seen the computer sleep. */
  get hasSlept(): boolean {
    this.look();
    return this.#hasSlept;
  }

  /** Returns the milliseconds since the computer woke up last, at most those since the beginning. */
  awakeMs(): number {
    this.look();
    return this.#last.nowMs - this.#sinceMs;
  }

  /** Finds out now whether a beat was missed, rather than at the next beat. */
  look(): void {
    const before = this.#last;
    const now = this.#read();
    const passedMs = now.nowMs - before.nowMs;
    this.#last = now;
    if (Math.abs(passedMs) <= missedAfterMs) return;
    this.#sinceMs = now.nowMs;
    this.#hasSlept = true;
    if (passedMs < 0) return;
    const sleptMs = now.uptimeMs - before.uptimeMs - (now.tickingMs - before.tickingMs);
    // Only from when the next beat was due is it certain that this process did nothing.
    const isAsleep = Math.abs(passedMs - sleptMs) <= missedAfterMs;
    this.#stoodStill.fire({ durationMs: passedMs - beatMs, isAsleep });
  }

  #read(): Beat {
    const { now, tickingMs, uptimeMs } = this.#time;
    return { nowMs: now(), tickingMs: tickingMs(), uptimeMs: uptimeMs() };
  }
}
