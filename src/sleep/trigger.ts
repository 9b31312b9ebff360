/** What ends a sleep. The words here are what the model sends; ids are resolved and validated before a sleep is recorded. */
import type { RunId } from '../base/ids.ts';

export type Comparator = '<' | '>' | '<=' | '>=' | '==' | '!=';

export type MetricSource =
  | { readonly type: 'json_file'; readonly path: string }
  | { readonly type: 'csv_file'; readonly path: string }
  | { readonly type: 'command'; readonly command: string };

export type Trigger =
  | { readonly type: 'timer'; readonly atMs: number }
  /** The runs that are still alive when the sleep begins and were meant; met when one of them has a verdict. */
  | { readonly type: 'process_exit'; readonly runId: RunId; readonly name: string }
  /** A pid that is no run of ours. Another `startTime` under the same pid is another process: ours has ended. */
  | {
      readonly type: 'foreign_exit';
      readonly machineId: string;
      readonly pid: number;
      readonly startTime?: string;
    }
  /** A tracked series: met when a point beyond the threshold has been read since the sleep began. */
  | {
      readonly type: 'tracked_metric';
      readonly runIds: readonly RunId[];
      readonly metric: string;
      readonly comparator: Comparator;
      readonly threshold: number;
    }
  | {
      readonly type: 'metric';
      readonly machineId: string;
      readonly source: MetricSource;
      readonly field: string;
      readonly comparator: Comparator;
      readonly threshold: number;
    }
  | {
      readonly type: 'file';
      readonly machineId: string;
      /** Absolute, on the machine. */
      readonly path: string;
      readonly mode: 'exists' | 'modified';
      /** For `modified`: the file as it was when the sleep was asked for; absent when there was none. */
      readonly baseline?: { readonly modifiedMs: number; readonly sizeBytes: number };
    };

export interface SleepRequest {
  readonly reason: string;
  readonly logic: 'any' | 'all';
  readonly triggers: readonly Trigger[];
  /** Milliseconds since the epoch at which the sleep ends in any case. */
  readonly deadlineMs?: number;
}

/** For people: `run 7 ends`, `loss < 1`, `14:30`. */
export function triggerText(trigger: Trigger): string {
  switch (trigger.type) {
    case 'timer':
      return `${new Date(trigger.atMs).toISOString().slice(11, 19)} UTC`;
    case 'process_exit':
      return `${trigger.name} ends`;
    case 'foreign_exit':
      return `${trigger.machineId}:${trigger.pid} ends`;
    case 'tracked_metric':
      return `${trigger.metric} ${trigger.comparator} ${trigger.threshold}`;
    case 'metric':
      return `${trigger.field} ${trigger.comparator} ${trigger.threshold}`;
    case 'file':
      return `${trigger.path} ${trigger.mode}`;
  }
}
