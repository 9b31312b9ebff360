/** Dependencies of a sleep on the engine. */
import type { Event } from '../base/emitter.ts';
import type { RunId } from '../base/ids.ts';
import type { MachineProbes } from '../machines/probes/machineProbes.ts';
import type { Machine } from '../machines/machine.ts';
import type { MachineResources } from '../machines/resources/machineResources.ts';
import type { MetricPoint } from '../metrics/metric.ts';

export type SleepMachine = Pick<
  Machine,
  'id' | 'ready' | 'exec' | 'query' | 'readFile' | 'workFolder' | 'runsFolder'
>;

/** Implemented by `MachineProbes`. */
export type SleepProbes = Pick<MachineProbes, 'watch' | 'once'>;

/** Implemented by `MachineResources`. */
export type SleepResources = Pick<MachineResources, 'watch' | 'latest' | 'take' | 'onDidChange'>;

export interface SleepPorts {
  /**
   * Returns true for a run with a verdict and for one that was never started. A run whose machine
   * does not answer has not ended.
   */
  isEnded(runId: RunId): boolean;
  /** Returns true when every point of the sweep has ended, including points not launched yet. */
  isSweepOver(sweepId: string): boolean;
  /**
   * Returns the newest value of a series, NaN and ±Infinity included; `undefined` before the first.
   */
  lastValue(runId: RunId, metric: string): number | undefined;
  /** Fires after the last points of the run have been read. */
  readonly onDidEndRun: Event<RunId>;
  /** Fires when the sweep launches no more points; some may still run. */
  readonly onDidEndSweep: Event<string>;
  readonly onDidReadPoints: Event<{
    readonly runId: RunId;
    readonly points: readonly MetricPoint[];
  }>;
  /** Throws `MachineFailure('unknown_machine')`. */
  machine(id: string): SleepMachine;
  readonly probes: SleepProbes;
  readonly resources: SleepResources;
}

/** A run of the session, found by a reference of the model. */
export interface FoundRun {
  readonly id: RunId;
  /** For example `run 7`. */
  readonly name: string;
  readonly isEnded: boolean;
}

export interface RunLookup {
  /** Finds a run by run id, number, `run 7` or `machine:pid`. */
  find(reference: string): FoundRun | undefined;
  /** Returns the id of the sweep named `s1` or `sweep s1`. */
  findSweep(reference: string): string | undefined;
  /** Returns the runs of this session that have not ended, oldest first. */
  going(): readonly FoundRun[];
}
