/**
 * The host of a run: reports whether the run is active, interprets its exit record, and ends it.
 * There is one implementation for machines with a scheduler, and one for machines without.
 */
import type { Clock } from '../base/clock.ts';
import type { Machine } from '../machines/machine.ts';
import type { SignalReport } from './supervisor.ts';
import type { Presence } from './presence.ts';
import type { RunEnd, RunProcess, RunSpec } from './run.ts';

export interface SignalOutcome extends SignalReport {
  /**
   * True if a check on the machine after the signal found no process and no active job of the run.
   */
  readonly isOver: boolean;
}

/** Host of one run. All methods reject with `MachineFailure`. */
export interface RunHost {
  /** Milliseconds between two checks of the run's presence. */
  readonly checkIntervalMs: number;
  /** Milliseconds after the end of the process during which the exit record may still appear. */
  readonly recordGraceMs: number;
  /** Id of the run's job, once the job was submitted; always `undefined` without a scheduler. */
  readonly jobId: string | undefined;
  /** Returns whether the start of the run was ever requested on the machine. */
  exists(): Promise<boolean>;
  /**
   * Returns the state of a run that has no exit record. Pass `undefined` for a run that has no
   * process yet.
   */
  presence(process: RunProcess | undefined): Promise<Presence>;
  /** Returns `process` with the id of its job added, if a scheduler started it. */
  identified(process: RunProcess): Promise<RunProcess>;
  /**
   * Returns how the run ended according to its exit record, or `undefined` while the run may
   * continue (a requeued job). `read` reads the record again.
   */
  settled(record: RunEnd, read: () => Promise<RunEnd | undefined>): Promise<RunEnd | undefined>;
  /**
   * Sends a signal to every process of the run. With `graceMs`, ends the run: after that time,
   * sends KILL to the processes that are left.
   */
  signal(signal: string, graceMs: number | undefined): Promise<SignalOutcome>;
}

export interface RunHostDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly clock: Clock;
}
