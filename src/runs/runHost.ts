/**
 * The part of a machine that runs a run: reports whether it is active, interprets its exit record,
 * and ends it.
 */
import type { Clock } from '../base/clock.ts';
import type { Machine } from '../machines/machine.ts';
import type { SignalReport } from './supervisor.ts';
import type { Presence } from './presence.ts';
import type { RunEnd, RunProcess, RunSpec } from './run.ts';

export interface SignalOutcome extends SignalReport {
  /** Whether the machine was asked afterwards and nothing of the run is left. */
  readonly isOver: boolean;
}

/** Host of one run. All methods reject with `MachineFailure`. */
export interface RunHost {
  /** Milliseconds between two checks of its presence. */
  readonly checkIntervalMs: number;
  /** Milliseconds from the end of the process during which its record may still appear. */
  readonly recordGraceMs: number;
  /** Set under a scheduler, once the job was submitted. */
  readonly jobId: string | undefined;
  /** Returns whether the run was ever passed to the machine. */
  exists(): Promise<boolean>;
  /**
   * Returns the state of a run without an exit record. Pass `undefined` for a run without a
   * process: it has not begun.
   */
  presence(process: RunProcess | undefined): Promise<Presence>;
  /** Returns `process` with its job. */
  identified(process: RunProcess): Promise<RunProcess>;
  /**
   * Returns the end that a record of the supervisor means, or `undefined` while the run may not be
   * over. `read` reads the record again.
   */
  settled(record: RunEnd, read: () => Promise<RunEnd | undefined>): Promise<RunEnd | undefined>;
  /**
   * Signals every process of the run. With `graceMs`, ends them: sends KILL to those that are left
   * after it.
   */
  signal(signal: string, graceMs: number | undefined): Promise<SignalOutcome>;
}

export interface RunHostDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly clock: Clock;
}
