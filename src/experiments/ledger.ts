/**
 * Types of the ledger: a row per experiment and per run, made of measured values only, and the
 * champion.
 */
import type { RunId } from '../base/ids.ts';
import type { Direction, MetricSummary } from '../metrics/metric.ts';
import { verdictText, type RunLimit, type Verdict } from '../runs/run.ts';
import type { Decision, ExperimentPlan } from './experiment.ts';

/** Cost of model calls. `usd` is a lower bound if a price is unknown. */
export interface ThinkingCost {
  readonly usd: number;
  /** Input tokens, cached or not, plus output tokens. */
  readonly tokens: number;
  readonly hasUnknownCost: boolean;
}

export interface LedgerRow {
  readonly runId: RunId;
  readonly number: number;
  readonly machineId: string;
  readonly handle: string | undefined;
  readonly label: string;
  readonly command: string;
  /** Omitted until the run has ended. */
  readonly verdict?: Verdict;
  readonly startedMs?: number;
  readonly endedMs?: number;
  readonly metrics: readonly MetricSummary[];
  /** Id of the recorded environment: `env1`. */
  readonly envId?: string;
  /**
   * Its share of the cost of its experiment, counted from its launch to that of the next one.
   * Omitted until the run has started.
   */
  readonly cost?: ThinkingCost;
  /** Id of the experiment that it was launched for: `e7`. */
  readonly experimentId?: string;
  /** Id of the sweep that it is a point of: `s1`. */
  readonly sweepId?: string;
  readonly limit?: RunLimit;
  /** The last alarm of a watchdog, and the action it asked for. */
  readonly alarm?: { readonly detail: string; readonly action: 'warn' | 'kill' | 'ask' };
  readonly isChampion: boolean;
}

/** An experiment as recorded in the journal. */
export interface PlannedExperiment {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** Oldest first. The last decision counts. */
  readonly decisions: readonly ExperimentDecision[];
}

export interface ExperimentDecision {
  readonly decision: Decision;
  readonly why: string;
  readonly by: 'agent' | 'engine' | 'person';
  readonly atMs: number;
}

/**
 * - `planned`: none of its runs has started
 * - `over`: all of its runs have ended
 * - `not_started`: none of its runs could be started
 */
export type ExperimentStatus = 'planned' | 'running' | 'over' | 'not_started';

/**
 * The result of runs that differ only in their seed. If there are several such groups, the best
 * one.
 */
export interface ExperimentResult {
  readonly metric: string;
  readonly mean: number;
  /** Standard deviation over the repeats (n − 1); omitted for one value. */
  readonly spread?: number;
  /** Number of runs in the mean. */
  readonly n: number;
  /** The best value of these runs. */
  readonly best: number;
  readonly runs: readonly LedgerRow[];
}

export interface ExperimentRow {
  /** `e7`. For a run without an experiment `run 3`, for such a sweep `s1`. */
  readonly id: string;
  /** Omitted for a launch by an older version, which had no plan. */
  readonly plan?: ExperimentPlan;
  readonly hypothesis: string;
  readonly command: string;
  /** Oldest first, without runs that could not be started. */
  readonly runs: readonly LedgerRow[];
  readonly status: ExperimentStatus;
  /** `3 ok, 1 failed (exit code 1)`, or `2 running` for runs that have not ended. */
  readonly verdicts: string;
  /** The result in the decisive metric; omitted if no run has a finite value of it. */
  readonly result?: ExperimentResult;
  /** Cost of the experiment's model calls; omitted until one of its runs has started. */
  readonly cost?: ThinkingCost;
  /** Total duration of the experiment's runs that have ended. */
  readonly runMs: number;
  /** The limit of each run. */
  readonly limit?: RunLimit;
  /** The decision that counts; omitted while undecided. */
  readonly decision?: ExperimentDecision;
  /** All decisions, oldest first. */
  readonly decisions: readonly ExperimentDecision[];
  readonly isChampion: boolean;
}

/** A row of an imported `results.tsv`. Its numbers were not measured by Helios. */
export interface ImportedResult {
  /** The text of the file, usually seven characters; may be empty. */
  readonly commit: string;
  readonly metric: string;
  /** Omitted for a crash. */
  readonly value?: number;
  readonly memoryGb?: number;
  readonly status: 'keep' | 'discard' | 'crash';
  readonly description: string;
}

export interface Decisive {
  readonly metric: string;
  readonly direction: Direction;
}

export interface Ledger {
  readonly rows: readonly LedgerRow[];
  /** All experiments, oldest first. */
  readonly experiments: readonly ExperimentRow[];
  /**
   * The decisive metric: that of the goal, else the first one with a direction that the runs share.
   */
  readonly decisive?: Decisive;
  /** The best run. Its experiment is the champion, too. */
  readonly champion?: LedgerRow;
  /**
   * Earlier results imported by the user. The agent sees them; they are never ranked with measured
   * values.
   */
  readonly imported: readonly ImportedResult[];
}

export type LedgerEntry = Omit<LedgerRow, 'isChampion'>;

/** Returns `queued`, `running`, or the verdict as text. */
export function rowStatus({
  verdict,
  startedMs,
}: Pick<LedgerRow, 'verdict' | 'startedMs'>): string {
  if (verdict !== undefined) return verdictText(verdict);
  return startedMs === undefined ? 'queued' : 'running';
}

/**
 * Returns the summary of `metric` in `row`. Ignores case, and also matches the last part of a path
 * (`val/loss` for `loss`).
 */
export function summaryFor(
  metrics: readonly MetricSummary[],
  metric: string,
): MetricSummary | undefined {
  const wanted = metric.toLowerCase();
  return (
    metrics.find((summary) => summary.metric.toLowerCase() === wanted) ??
    metrics.find((summary) => summary.metric.toLowerCase().split('/').at(-1) === wanted)
  );
}
