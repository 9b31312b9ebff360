/** Functions of the engine that a sleep depends on. */
import type { Event } from '../base/emitter.ts';
import type { RunId } from '../base/ids.ts';
import type { MatchingProcess } from '../machines/probes/probe.ts';
import type { MachineProbes } from '../machines/probes/machineProbes.ts';
import type { Machine } from '../machines/machine.ts';
import type { MachineResources } from '../machines/resources/machineResources.ts';
import type { MetricPoint } from '../metrics/metric.ts';

export type SleepMachine = Pick<
  Machine,
  | 'id'
  | 'path'
  | 'filesOnly'
  | 'ready'
  | 'exec'
  | 'query'
  | 'readFile'
  | 'workFolder'
  | 'homeFolder'
  | 'runsFolder'
>;

/** Implemented by `MachineProbes`. */
export type SleepProbes = Pick<MachineProbes, 'watch' | 'once'>;

/** Implemented by `MachineResources`. */
export type SleepResources = Pick<MachineResources, 'watch' | 'latest' | 'take' | 'onDidChange'>;

export interface WatchedPlace {
  readonly machine: SleepMachine;
  readonly path: string;
  /** Real paths whose use the user has approved. */
  readonly approved?: readonly string[] | undefined;
}

export interface SleepPorts {
  /**
   * Returns true when the run has a verdict or was never started. While the machine of a run does
   * not answer, the run is treated as not ended.
   */
  isEnded(runId: RunId): boolean;
  /**
   * Returns true when every point of the sweep has ended, including the points that were not yet
   * launched at the start of the sleep.
   */
  isSweepOver(sweepId: string): boolean;
  /** Returns true when no run of the session is active or waiting, and no sweep starts points. */
  isIdle(): boolean;
  /**
   * Returns the newest value of a metric, which may be NaN or ±Infinity; `undefined` before the
   * first value.
   */
  lastValue(runId: RunId, metric: string): number | undefined;
  /**
   * Returns the name under which the run prints a metric (see `findMetric`); `undefined` before the
   * first value.
   */
  printedName(runId: RunId, metric: string): string | undefined;
  /** Fires when a run has ended and its last points were read. */
  readonly onDidEndRun: Event<RunId>;
  /** Fires when the sweep will launch no more points; some points may still be running. */
  readonly onDidEndSweep: Event<string>;
  readonly onDidReadPoints: Event<{
    readonly runId: RunId;
    readonly points: readonly MetricPoint[];
  }>;
  /** Returns the machine. Throws `MachineFailure('unknown_machine')`. */
  machine(id: string): SleepMachine;
  /**
   * Resolves with the real path of a file that a condition reads. Rejects with `HeliosError` if a
   * path rule applies to the file, unless the file is in `approved`.
   */
  readablePath(place: WatchedPlace): Promise<string>;
  readonly probes: SleepProbes;
  readonly resources: SleepResources;
}

/** A run of the session that matches a reference written by the model, such as `run 7`. */
export interface FoundRun {
  readonly id: RunId;
  /** Name of the run, for example `run 7`. */
  readonly name: string;
  readonly isEnded: boolean;
}

export interface RunLookup {
  /** Finds a run by its id, its number, its name (`run 7`) or `machine:pid`. */
  find(reference: string): FoundRun | undefined;
  /** Returns the id of the sweep named `s1` or `sweep s1`. */
  findSweep(reference: string): string | undefined;
  /** Returns the runs of this session that have not ended, oldest first. */
  going(): readonly FoundRun[];
  /** Returns true when no run of the session is active or waiting, and no sweep starts points. */
  isIdle(): boolean;
  /** Returns whether the process belongs to a run of this session. */
  isOwn(machineId: string, process: Pick<MatchingProcess, 'pid' | 'groupId'>): boolean;
}
