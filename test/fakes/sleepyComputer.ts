/** A computer that sleeps when a test says so. */
import assert from 'node:assert/strict';
import { Emitter } from '../../src/base/emitter.ts';
import { Standstills } from '../../src/agent/runs/standstills.ts';
import type { SessionLog } from '../../src/agent/journal/sessionLog.ts';
import type { Standstill } from '../../src/storage/awakeTime.ts';
import type { ManualClock } from './manualClock.ts';

export class SleepyComputer {
  readonly #stoodStill = new Emitter<Standstill>();
  readonly onDidStandStill = this.#stoodStill.event;
  readonly #clock: ManualClock;
  #unseen: Standstill | undefined;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** Sleeps. Nothing is known of it before somebody looks. */
  sleep(durationMs: number, isAsleep = true): void {
    this.#clock.pass(durationMs);
    this.#unseen = { durationMs, isAsleep };
  }

  look(): void {
    const unseen = this.#unseen;
    this.#unseen = undefined;
    if (unseen !== undefined) this.#stoodStill.fire(unseen);
  }
}

export const standstillsOf = (
  log: SessionLog,
  clock: ManualClock,
  awakeTime = new SleepyComputer(clock),
): Standstills => new Standstills({ log, clock, awakeTime, onFailed: assert.fail });
