/**
 * What ends a sleep. The words here are what the model sends; ids are resolved and validated before
 * a sleep is recorded.
 */
import type { RunId } from '../base/ids.ts';

export type Comparator = '<' | '>' | '<=' | '>=' | '==' | '!=';

export type MetricSource =
  | { readonly type: 'json_file'; readonly path: string }
  | { readonly type: 'csv_file'; readonly path: string }
  | { readonly type: 'command'; readonly command: string }
  /** A folder with event files, also of folders below; the field is a tag. */
  | { readonly type: 'tensorboard'; readonly logdir: string };

export type ResourceName = 'gpu_util' | 'gpu_memory' | 'cpu' | 'memory' | 'disk';

export type Trigger =
  | { readonly type: 'timer'; readonly atMs: number }
  /**
   * The runs that are still alive when the sleep begins and were meant; met when one of them has a
   * verdict.
   */
  | { readonly type: 'process_exit'; readonly runId: RunId; readonly name: string }
  /** Every point of a sweep of ours is over, also those that are not launched yet. */
  | { readonly type: 'sweep_end'; readonly sweepId: string }
  /**
   * A pid that is no run of ours. Another `startTime` under the same pid is another process: ours
   * has ended.
   */
  | {
      readonly type: 'foreign_exit';
      readonly machineId: string;
      readonly pid: number;
      readonly startTime?: string;
    }
  /**
   * Processes whose command line the pattern finds, those that are there when it is asked and later
   * ones.
   */
  | {
      readonly type: 'pattern_exit';
      readonly machineId: string;
      /** An extended regular expression. */
      readonly pattern: string;
      readonly processes: readonly { readonly pid: number; readonly startTime: string }[];
    }
  /**
   * A tracked series: met when a point beyond the threshold has been read since the sleep began.
   */
  | {
      readonly type: 'tracked_metric';
      readonly runIds: readonly RunId[];
      readonly metric: string;
      readonly comparator: Comparator;
      readonly threshold: number;
      /** So many values in a row; absent: one. */
      readonly sustainedChecks?: number;
    }
  | {
      readonly type: 'metric';
      readonly machineId: string;
      readonly source: MetricSource;
      readonly field: string;
      readonly comparator: Comparator;
      readonly threshold: number;
      /** So many values in a row; absent: one. */
      readonly sustainedChecks?: number;
    }
  | {
      readonly type: 'file';
      readonly machineId: string;
      /** Absolute, on the machine. */
      readonly path: string;
      readonly mode: 'exists' | 'modified' | 'size_stable';
      /** For `size_stable`: so long without a change. */
      readonly windowMs?: number;
      /**
       * For `modified`: the file as it was when the sleep was asked for; absent when there was
       * none.
       */
      readonly baseline?: { readonly modifiedMs: number; readonly sizeBytes: number };
    }
  | {
      readonly type: 'resource';
      readonly machineId: string;
      readonly resource: ResourceName;
      /** Absent: every GPU has to hold. */
      readonly gpuIndex?: number;
      readonly comparator: Comparator;
      /** Percent. */
      readonly threshold: number;
      /** So many samples in a row; absent: one. */
      readonly sustainedChecks?: number;
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
    case 'sweep_end':
      return `sweep ${trigger.sweepId} is over`;
    case 'foreign_exit':
      return `${trigger.machineId}:${trigger.pid} ends`;
    case 'pattern_exit':
      return `no ${trigger.pattern} on ${trigger.machineId} any more`;
    case 'tracked_metric':
      return `${trigger.metric} ${trigger.comparator} ${trigger.threshold}${sustainedText(trigger)}`;
    case 'metric':
      return `${trigger.field} ${trigger.comparator} ${trigger.threshold}${sustainedText(trigger)}`;
    case 'file':
      return `${trigger.path} ${trigger.mode}`;
    case 'resource':
      return `${trigger.resource}${trigger.gpuIndex ?? ''} of ${trigger.machineId} ${trigger.comparator} ${trigger.threshold} %${sustainedText(trigger)}`;
  }
}

const sustainedText = ({ sustainedChecks = 1 }: { readonly sustainedChecks?: number }): string =>
  sustainedChecks > 1 ? ` (${sustainedChecks} times in a row)` : '';
