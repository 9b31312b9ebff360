/**
 * Types of runs. A run is one background process started by the agent, with its output, metrics and
 * verdict.
 */
import type { RunId, SessionId } from '../base/ids.ts';
import type { Confinement } from '../machines/confinement/policy.ts';
import type { MetricSpec } from '../metrics/metric.ts';

/** The request for a run. Stored on disk before anything starts, and never changed afterwards. */
export interface RunSpec {
  readonly id: RunId;
  readonly sessionId: SessionId;
  /**
   * Number of the run within its session, starting at 1. Users see it as the run's name: `run 7`.
   */
  readonly number: number;
  readonly machineId: string;
  readonly command: string;
  /** Working directory of the command: an absolute path on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly metrics: MetricSpec;
  /** Short name of the run in lists, such as `lr=3e-4`. */
  readonly label: string;
  /** When the run was requested, in milliseconds since the epoch. */
  readonly plannedMs: number;
  readonly limit?: RunLimit;
  readonly resources?: RunResources;
  /** Sweep of which the run is one point, and the index of that point. Unset for other runs. */
  readonly sweep?: { readonly id: string; readonly index: number };
  /** Id of the session's experiment that the run belongs to, such as `e7`. */
  readonly experimentId?: string;
  /** Set if the run repeats the experiment only to check its result. */
  readonly isReproduction?: true;
  /** Unset if the command is not confined. */
  readonly confinement?: Confinement;
}

/**
 * Time limit of a run. When the time is over, the supervisor on the machine sends TERM to all
 * processes of the run, then KILL after `graceMs`. The verdict is `time_limit`.
 */
export interface RunLimit {
  readonly ms: number;
  /**
   * When the clock starts: with the command, or when the first metric is read from the command's
   * output.
   */
  readonly from: 'launch' | 'first_metric';
  /** Milliseconds between TERM and KILL. Default: 10,000. */
  readonly graceMs?: number;
  /** Upper bound of the time since the launch, for a clock that starts later. */
  readonly maxMs?: number;
}

/** Returns the limit that applies to a run that must end after `maxMinutes` at the latest. */
export function boundedLimit(
  limit: RunLimit | undefined,
  maxMinutes: number | undefined,
): RunLimit | undefined {
  if (maxMinutes === undefined) return limit;
  const maxMs = Math.ceil(maxMinutes * 60_000);
  const { ms, from } = limit ?? { ms: maxMs, from: 'launch' };
  return { ...limit, ms: Math.min(ms, maxMs), from, ...(from === 'first_metric' && { maxMs }) };
}

/** Resources that a run uses on its machine while it is active. */
export interface RunResources {
  /**
   * Number of GPUs that this run does not share with other runs; the run sees no other GPUs
   * (`CUDA_VISIBLE_DEVICES`). Default: all GPUs, shared with other programs.
   */
  readonly gpus?: number;
  /**
   * Number of CPUs to request from a scheduler. On a machine without a scheduler: the default
   * number of threads for libraries (`OMP_NUM_THREADS`).
   */
  readonly cpus?: number;
  /** Memory to request from a scheduler, in MB. */
  readonly memoryMb?: number;
}

/**
 * The process of a run on its machine. Pids are reused, so the process is identified by its pid,
 * start time and boot id together.
 */
export interface RunProcess {
  readonly pid: number;
  /** Start time of the process: in clock ticks since boot (Linux), or as `ps` prints it. */
  readonly startTime: string;
  readonly bootId: string;
  readonly startedMs: number;
  /**
   * Id of the job if a scheduler started the process. The handle of the run then contains this id
   * instead of the pid.
   */
  readonly jobId?: string;
  /**
   * Ids of the GPUs that this run does not share while it is active, as in `CUDA_VISIBLE_DEVICES`.
   * `undefined`: the run has no GPUs of its own.
   */
  readonly gpuIds?: readonly string[];
}

export type Verdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'out_of_memory' }
  | { readonly kind: 'time_limit' }
  | { readonly kind: 'killed' }
  | { readonly kind: 'preempted' }
  /**
   * The process is gone and left no exit record (power cut, supervisor killed). How the run ended
   * is unknown.
   */
  | { readonly kind: 'lost'; readonly why: string };

export interface RunEnd {
  readonly verdict: Verdict;
  readonly endedMs: number;
}

/**
 * Whether a run is active, as far as known. `unknown` (the machine does not answer) never ends a
 * run.
 */
export type Liveness =
  | { readonly kind: 'starting' }
  /** The job waits in the queue of a scheduler. `why`: the reason that the scheduler gives. */
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly endedMs: number }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Returns the public name of a run for use within a sentence: `run 8`. Uses the run's id if its
 * number is unknown.
 */
export const runName = (number: number | RunId): string => `run ${number}`;

const maxRunRanges = 6;

/** Returns the names of several runs: `run 8`, `runs 14–16`, `runs 1, 3, 5–9`. */
export function runNames(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const open = ranges.at(-1);
    if (open !== undefined && number <= open.last + 1) open.last = number;
    else ranges.push({ first: number, last: number });
  }
  const texts = ranges.map(({ first, last }) => {
    if (first === last) return String(first);
    return last === first + 1 ? `${first}, ${last}` : `${first}–${last}`;
  });
  const shown = texts.slice(0, maxRunRanges).join(', ');
  const rest = texts.length > maxRunRanges ? ' and others' : '';
  return `${new Set(numbers).size === 1 ? 'run' : 'runs'} ${shown}${rest}`;
}

/** Returns the name of a run for a title or the beginning of a sentence: `Run 8`. */
export const runTitle = (number: number | RunId): string => `Run ${number}`;

/**
 * Returns the handle that users see for the run: `machine:pid`, or `machine:job` under a scheduler.
 * `undefined` until there is a process or a job.
 */
export function handleOf(
  spec: RunSpec,
  process: RunProcess | undefined,
  jobId?: string,
): string | undefined {
  const place = process?.jobId ?? jobId ?? process?.pid;
  return place === undefined ? undefined : `${spec.machineId}:${place}`;
}

/** An alarm of a watchdog about a run, and the action that the watchdog requested. */
export interface RunAlarm {
  readonly detail: string;
  readonly action: 'warn' | 'kill' | 'ask';
}

/**
 * Returns how a run ended: `ok`, `failed (exit code 1)`, `killed after the alarm: loss became NaN`.
 * `alarm`: the last alarm about the run; it is mentioned if it ended the run.
 */
export const verdictText = (verdict: Verdict, alarm?: RunAlarm): string => {
  switch (verdict.kind) {
    case 'ok':
      return 'ok';
    case 'failed':
      return `failed (exit code ${verdict.code})`;
    case 'signalled':
      return `ended by signal ${verdict.signal}`;
    case 'out_of_memory':
      return 'out of memory';
    case 'time_limit':
      return 'time limit reached';
    case 'killed':
      return alarm === undefined || alarm.action === 'warn'
        ? 'killed'
        : `killed after the alarm: ${alarm.detail}`;
    case 'preempted':
      return 'preempted';
    case 'lost':
      return `lost (${verdict.why})`;
  }
};

/**
 * Returns the state of a run that this process follows: `starting`, `queued (Priority)`, `running`,
 * `no answer from gpu1 (connection closed)`, or how the run ended.
 */
export function livenessText(liveness: Liveness, machineId: string, alarm?: RunAlarm): string {
  switch (liveness.kind) {
    case 'starting':
    case 'running':
      return liveness.kind;
    case 'queued':
      return `queued (${liveness.why})`;
    case 'unknown':
      return `no answer from ${machineId} (${liveness.why})`;
    case 'ended':
      return verdictText(liveness.verdict, alarm);
  }
}
