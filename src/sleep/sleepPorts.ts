/** What waiting needs from its surroundings. */
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

/** What `MachineLooks` does. */
export type SleepProbes = Pick<MachineProbes, 'watch' | 'once'>;

/** What `MachineResources` does. */
export type SleepResources = Pick<MachineResources, 'watch' | 'latest' | 'take' | 'onDidChange'>;

export interface SleepPorts {
  /** Has a verdict, or was never started. A run whose machine does not answer has not ended. */
  isEnded(runId: RunId): boolean;
  /** Every point of the sweep is over, also those that were to be launched. */
  isSweepOver(sweepId: string): boolean;
  /** The newest value of a series, NaN and ±Infinity included; `undefined` before the first. */
  lastValue(runId: RunId, metric: string): number | undefined;
  /** Heard after the last points of the run have been read. */
  readonly onDidEndRun: Event<RunId>;
  /** No more points of the sweep are launched; some may run yet. */
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

/** A run of the session as the model can name it. */
export interface FoundRun {
  readonly id: RunId;
  /** `run 7`. */
  readonly name: string;
  readonly isEnded: boolean;
}

export interface RunLookup {
  /** By run id, number, `run 7`, or `machine:pid`. */
  find(reference: string): FoundRun | undefined;
  /** The id of the sweep that `s1`, or `sweep s1`, names. */
  findSweep(reference: string): string | undefined;
  /** The runs of this session that have not ended, oldest first. */
  going(): readonly FoundRun[];
}
