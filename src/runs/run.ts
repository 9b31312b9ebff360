/**
 * The words of runs: a run is one background process started by the agent, with its output, metrics
 * and verdict.
 */
import type { RunId, SessionId } from '../base/ids.ts';
import type { MetricSpec } from '../metrics/metric.ts';

/** What was asked for. Written to disk before anything starts; never changed afterwards. */
export interface RunSpec {
  readonly id: RunId;
  readonly sessionId: SessionId;
  /** 1, 2, 3 … within its session: what people call it (`run 7`). */
  readonly number: number;
  readonly machineId: string;
  readonly command: string;
  /** Absolute, on the machine. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly metrics: MetricSpec;
  /** A few words for lists, such as `lr=3e-4`. */
  readonly label: string;
  /** Milliseconds since the epoch when it was asked for. */
  readonly plannedMs: number;
  readonly limit?: RunLimit;
  readonly resources?: RunResources;
  /** It is one point of a sweep of its session. */
  readonly sweep?: { readonly id: string; readonly index: number };
  /** The experiment of its session that it belongs to: `e7`. */
  readonly experimentId?: string;
}

/**
 * Enforced on the machine, from outside the process: TERM to all of the run, time, KILL. The
 * verdict is `time_limit`.
 */
export interface RunLimit {
  readonly ms: number;
  /**
   * When its clock starts: when the command does, or when the first metric was read from its
   * output.
   */
  readonly from: 'launch' | 'first_metric';
  /** Between TERM and KILL. Default 10 s. */
  readonly graceMs?: number;
}

/** What a run takes of its machine while it goes on. */
export interface RunResources {
  /**
   * GPUs for this run alone; it sees no others (`CUDA_VISIBLE_DEVICES`). Absent: all, shared with
   * whoever is there.
   */
  readonly gpus?: number;
  /**
   * For a scheduler; elsewhere the number of threads that libraries start by default
   * (`OMP_NUM_THREADS`).
   */
  readonly cpus?: number;
  /** For a scheduler. */
  readonly memoryMb?: number;
}

/** The process on its machine. A pid means something only together with its start time and boot. */
export interface RunProcess {
  readonly pid: number;
  /**
   * Clock ticks since boot at which the process started (Linux), or the start time as `ps` prints
   * it.
   */
  readonly startTime: string;
  readonly bootId: string;
  readonly startedMs: number;
  /** Where a scheduler started it: the job, which is then what the handle of the run shows. */
  readonly jobId?: string;
  /**
   * GPUs that are its own while it goes on, as `CUDA_VISIBLE_DEVICES` names them; absent: none is.
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
   * The process is gone and left no exit record (power cut, supervisor killed). Nothing is known of
   * its end.
   */
  | { readonly kind: 'lost'; readonly why: string };

export interface RunEnd {
  readonly verdict: Verdict;
  readonly endedMs: number;
}

/** `unknown` (the machine does not answer) never ends a run. */
export type Liveness =
  | { readonly kind: 'starting' }
  /** In the queue of a scheduler, and why it waits there. */
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly endedMs: number }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * `machine:pid`, or `machine:job` under a scheduler: the public handle; `undefined` until there is
 * a process or a job.
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
