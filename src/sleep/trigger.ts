/**
 * Conditions that end a sleep. The type names are the same as in the model's requests. All ids are
 * resolved and validated before a sleep is recorded.
 */
import type { RunId } from '../base/ids.ts';
import { cleanText, oneLine } from '../base/text.ts';

export type Comparator = '<' | '>' | '<=' | '>=' | '==' | '!=';

export type MetricSource =
  | {
      readonly type: 'json_file' | 'csv_file';
      readonly path: string;
      /** Real paths that need an approval and got it. */
      readonly approved?: readonly string[];
    }
  | {
      readonly type: 'command';
      readonly command: string;
      /** The command as the shell runs it, with the git guard. Default: `command`. */
      readonly shellCommand?: string;
    }
  /**
   * A folder of TensorBoard event files, with its subfolders. The `field` of the condition is a
   * tag.
   */
  | { readonly type: 'tensorboard'; readonly logdir: string };

export type ResourceName = 'gpu_util' | 'gpu_memory' | 'cpu' | 'memory' | 'disk';

export type Trigger =
  | { readonly type: 'timer'; readonly atMs: number }
  /**
   * Met when the run has a verdict or could not be started; met immediately if that is already the
   * case at the start of the sleep.
   */
  | { readonly type: 'process_exit'; readonly runId: RunId; readonly name: string }
  /**
   * Met when every point of a sweep has ended, including the points that were not yet launched at
   * the start of the sleep.
   */
  | { readonly type: 'sweep_end'; readonly sweepId: string }
  /** Met when no run of the session is active or waiting, and no sweep has points to start. */
  | { readonly type: 'all_exit' }
  /**
   * Met when a process that is not a run of the session has ended. A process with the same pid but
   * another `startTime` is a different process, so the watched one has ended.
   */
  | {
      readonly type: 'foreign_exit';
      readonly machineId: string;
      readonly pid: number;
      readonly startTime?: string;
    }
  /**
   * Met when all processes whose command line matches the pattern have ended: `processes`, which
   * matched at the time of the request, and matching processes that started later.
   */
  | {
      readonly type: 'pattern_exit';
      readonly machineId: string;
      /** An extended regular expression. */
      readonly pattern: string;
      readonly processes: readonly {
        readonly pid: number;
        readonly startTime: string;
        /** First part of the command line. Omitted by older versions. */
        readonly command?: string;
      }[];
      /** Set when all of these processes belong to runs of the session. */
      readonly isOwn?: true;
    }
  /**
   * Met when the newest value of the metric in one of the runs satisfies the comparison. The first
   * value compared is the newest value at the start of the sleep.
   */
  | {
      readonly type: 'tracked_metric';
      readonly runIds: readonly RunId[];
      readonly metric: string;
      readonly comparator: Comparator;
      readonly threshold: number;
      /** Number of values in a row that must satisfy the comparison. Default: 1. */
      readonly sustainedChecks?: number;
    }
  | {
      readonly type: 'metric';
      readonly machineId: string;
      readonly source: MetricSource;
      readonly field: string;
      readonly comparator: Comparator;
      readonly threshold: number;
      /** Number of values in a row that must satisfy the comparison. Default: 1. */
      readonly sustainedChecks?: number;
    }
  | {
      readonly type: 'file';
      readonly machineId: string;
      /** Absolute path on the machine. */
      readonly path: string;
      readonly mode: 'exists' | 'modified' | 'size_stable';
      /** For `size_stable`: how long the size must not change. */
      readonly windowMs?: number;
      /**
       * For `modified`: state of the file at the time of the request; `undefined` when it did not
       * exist.
       */
      readonly baseline?: { readonly modifiedMs: number; readonly sizeBytes: number };
    }
  | {
      readonly type: 'resource';
      readonly machineId: string;
      readonly resource: ResourceName;
      /** Default: all GPUs, each of which must satisfy the comparison. */
      readonly gpuIndex?: number;
      readonly comparator: Comparator;
      /** Percent. */
      readonly threshold: number;
      /** Number of samples in a row that must satisfy the comparison. Default: 1. */
      readonly sustainedChecks?: number;
    };

export interface SleepRequest {
  readonly reason: string;
  readonly logic: 'any' | 'all';
  readonly triggers: readonly Trigger[];
  /** Latest time at which the sleep ends, in milliseconds since the epoch. */
  readonly deadlineMs?: number;
}

/** Describes a condition that is met: `run 7 has ended`, `loss < 1`. */
export const metText = (trigger: Trigger): string =>
  isEnd(trigger) ? triggerText(trigger).replace(/ ends$/, ' has ended') : triggerText(trigger);

const isEnd = ({ type }: Trigger): boolean => type === 'sweep_end' || type.endsWith('_exit');

/** Describes the condition for the user: `run 7 ends`, `loss < 1`, `14:30:00 UTC`. */
export function triggerText(trigger: Trigger): string {
  switch (trigger.type) {
    case 'timer':
      return utcTime(trigger.atMs);
    case 'process_exit':
      return `${trigger.name} ends`;
    case 'sweep_end':
      return `sweep ${trigger.sweepId} ends`;
    case 'all_exit':
      return 'every run ends';
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

/** Returns the time of day, for example `14:30:00 UTC`. */
export const utcTime = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(11, 19)} UTC`;

/** Returns whether only runs of the session can meet the condition. */
export const isOfRuns = (trigger: Trigger): boolean =>
  ['process_exit', 'sweep_end', 'all_exit', 'tracked_metric'].includes(trigger.type) ||
  (trigger.type === 'pattern_exit' && trigger.isOwn === true);

const shownProcesses = 5;

/** Returns the processes as the model sees them: `pid 42 python train.py, pid 43 … and 2 more`. */
export function processesText(
  processes: readonly { readonly pid: number; readonly command?: string }[],
): string {
  const shown = processes
    .slice(0, shownProcesses)
    .map(({ pid, command = '' }) => `pid ${pid} ${oneLine(cleanText(command), 120)}`.trim());
  const more = processes.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const sustainedText = ({ sustainedChecks = 1 }: { readonly sustainedChecks?: number }): string =>
  sustainedChecks > 1 ? ` (${sustainedChecks} times in a row)` : '';
