/**
 * Types of runs. A run is one background process started by the agent, with its output, metrics and
 * verdict.
 */
import type { RunId, SessionId } from '../base/ids.ts';
import type { MetricSpec } from '../metrics/metric.ts';

/** The request for a run. Written to disk before anything starts, and never changed afterwards. */
export interface RunSpec {
  readonly id: RunId;
  readonly sessionId: SessionId;
  /** 1, 2, 3 … within its session. Users know the run by it: `run 7`. */
  readonly number: number;
  readonly machineId: string;
  readonly command: string;
  /** Absolute path on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly metrics: MetricSpec;
  /** A few words for lists, such as `lr=3e-4`. */
  readonly label: string;
  /** When the run was requested, in milliseconds since the epoch. */
  readonly plannedMs: number;
  readonly limit?: RunLimit;
  readonly resources?: RunResources;
  /** Set when the run is one point of a sweep of its session. */
  readonly sweep?: { readonly id: string; readonly index: number };
  /** Id of the experiment of the session that the run belongs to: `e7`. */
  readonly experimentId?: string;
}

/**
 * Enforced on the machine, from outside the process: TERM to all processes of the run, then KILL
 * after `graceMs`. The verdict is `time_limit`.
 */
export interface RunLimit {
  readonly ms: number;
  /** When the clock starts: with the command, or when the first metric was read from its output. */
  readonly from: 'launch' | 'first_metric';
  /** Milliseconds between TERM and KILL. Default: 10,000. */
  readonly graceMs?: number;
}

/** Resources of its machine that a run uses while it is active. */
export interface RunResources {
  /**
   * Number of GPUs for this run alone; it sees no others (`CUDA_VISIBLE_DEVICES`). Default: all
   * GPUs, shared with other programs.
   */
  readonly gpus?: number;
  /**
   * CPUs to request from a scheduler; without one, the default number of threads of libraries
   * (`OMP_NUM_THREADS`).
   */
  readonly cpus?: number;
  /** Memory to request from a scheduler. */
  readonly memoryMb?: number;
}

/** The process on its machine. A pid only identifies it together with its start time and boot. */
export interface RunProcess {
  readonly pid: number;
  /**
   * Clock ticks since boot at which the process started (Linux), or the start time as `ps` prints
   * it.
   */
  readonly startTime: string;
  readonly bootId: string;
  readonly startedMs: number;
  /** Set when a scheduler started the process: the job, which the handle of the run then shows. */
  readonly jobId?: string;
  /**
   * GPUs of this run alone while it is active, as `CUDA_VISIBLE_DEVICES` names them; `undefined`:
   * it has none of its own.
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
   * The process is gone and left no exit record (power cut, supervisor killed). Its end is unknown.
   */
  | { readonly kind: 'lost'; readonly why: string };

export interface RunEnd {
  readonly verdict: Verdict;
  readonly endedMs: number;
}

/** `unknown` (the machine does not answer) never ends a run. */
export type Liveness =
  | { readonly kind: 'starting' }
  /** Queued by a scheduler; `why` is the scheduler's reason. */
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly endedMs: number }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Returns the public handle: `machine:pid`, or `machine:job` under a scheduler; `undefined` until
 * there is a process or a job.
 */
export function handleOf(
  spec: RunSpec,
  process: RunProcess | undefined,
  jobId?: string,
): string | undefined {
  const place = process?.jobId ?? jobId ?? process?.pid;
  return place === undefined ? undefined : `${spec.machineId}:${place}`;
}

export const verdictText = (verdict: Verdict): string => {
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
      return 'killed';
    case 'preempted':
      return 'preempted';
    case 'lost':
      return `lost (${verdict.why})`;
  }
};
