/**
 * What holds a run on its machine: what tells whether it goes on, what a record of its end means,
 * and who ends it.
 */
import type { Clock } from '../base/clock.ts';
import type { Machine } from '../machines/machine.ts';
import type { SignalReport } from './supervisor.ts';
import type { Presence } from './presence.ts';
import type { RunEnd, RunProcess, RunSpec } from './run.ts';

export interface SignalOutcome extends SignalReport {
  /** The machine was asked afterwards, and nothing of the run is left. */
  readonly isOver: boolean;
}

/** Of one run. Everything rejects with `MachineFailure` when it cannot be told or done. */
export interface RunHost {
  /** Between two questions after its presence. */
  readonly checkIntervalMs: number;
  /** From the moment at which it was gone to the last one at which its record may appear. */
  readonly recordGraceMs: number;
  /** Where a scheduler has it; known from its submission on. */
  readonly jobId: string | undefined;
  /** Whether it was ever given to the machine. */
  exists(): Promise<boolean>;
  /** Of a run without a record; without a process, it has not begun. */
  presence(process: RunProcess | undefined): Promise<Presence>;
  /** `process`, with its job. */
  identified(process: RunProcess): Promise<RunProcess>;
  /**
   * What a record of the supervisor means; `undefined` while it may not be the end. `read`: the
   * record as it is then.
   */
  settled(record: RunEnd, read: () => Promise<RunEnd | undefined>): Promise<RunEnd | undefined>;
  /**
   * Signals every process of the run. With `graceMs`, ends them: KILL for those that are left when
   * it is over.
   */
  signal(signal: string, graceMs: number | undefined): Promise<SignalOutcome>;
}

export interface RunHostDeps {
  readonly spec: RunSpec;
  readonly machine: Machine;
  readonly clock: Clock;
}
