/** The words of runs: a run is one background process started by the agent, with its output, metrics and verdict. */
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
}

/** The process on its machine. A pid means something only together with its start time and boot. */
export interface RunProcess {
  readonly pid: number;
  /** Clock ticks since boot at which the process started (Linux), or the start time as `ps` prints it. */
  readonly startTime: string;
  readonly bootId: string;
  readonly startedMs: number;
}

export type Verdict =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'out_of_memory' }
  | { readonly kind: 'time_limit' }
  | { readonly kind: 'killed' }
  | { readonly kind: 'preempted' }
  /** The process is gone and left no exit record (power cut, capsule killed). Nothing is known of its end. */
  | { readonly kind: 'lost'; readonly why: string };

/** `unknown` (the machine does not answer) never ends a run. */
export type Liveness =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly endedMs: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** `machine:pid`, the public handle; `undefined` until the process has started. */
export const handleOf = (spec: RunSpec, process: RunProcess | undefined): string | undefined =>
  process && `${spec.machineId}:${process.pid}`;

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
