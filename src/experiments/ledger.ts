/**
 * The words of the ledger: a row per experiment and one per run, made of measured values only, and
 * the champion among them.
 */
import type { RunId } from '../base/ids.ts';
import type { Direction, MetricSummary } from '../metrics/metric.ts';
import { verdictText, type RunLimit, type Verdict } from '../runs/run.ts';
import type { Decision, ExperimentPlan } from './experiment.ts';

/** What the calls to models came to. `usd` is a lower bound where a price is not known. */
export interface ThinkingCost {
  readonly usd: number;
  /** Input, cached or not, and output. */
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
  /** Absent while the run goes on. */
  readonly verdict?: Verdict;
  readonly startedMs?: number;
  readonly endedMs?: number;
  readonly metrics: readonly MetricSummary[];
  /** The environment that was recorded for it: `env1`. */
  readonly envId?: string;
  /**
   * Its share of what its experiment cost from its launch to that of the next. Absent until it has
   * started.
   */
  readonly cost?: ThinkingCost;
  /** The experiment that it was launched for: `e7`. */
  readonly experimentId?: string;
  /** It is a point of this sweep: `s1`. */
  readonly sweepId?: string;
  readonly limit?: RunLimit;
  /** The last thing that a watchdog saw, and what it was to do about it. */
  readonly alarm?: { readonly detail: string; readonly action: 'warn' | 'kill' | 'ask' };
  readonly isChampion: boolean;
}

/** An experiment as the journal has it. */
export interface PlannedExperiment {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** The last one counts. Oldest first. */
  readonly decisions: readonly ExperimentDecision[];
}

export interface ExperimentDecision {
  readonly decision: Decision;
  readonly why: string;
  readonly by: 'agent' | 'engine' | 'person';
  readonly atMs: number;
}

/**
 * - `planned`: none of its runs has started · `over`: none goes on · `not_started`: none ever came
 *   to life
 */
export type ExperimentStatus = 'planned' | 'running' | 'over' | 'not_started';

/**
 * Of the runs that differ in nothing but their seed: of the best such group, where there are
 * several.
 */
export interface ExperimentResult {
  readonly metric: string;
  readonly mean: number;
  /** Standard deviation over the repeats (n − 1); absent for one value. */
  readonly spread?: number;
  /** Runs that the mean is over. */
  readonly n: number;
  /** Of them the best one. */
  readonly best: number;
  readonly runs: readonly LedgerRow[];
}

export interface ExperimentRow {
  /** `e7`; of a launch that belongs to no experiment `run 3`, of such a sweep `s1`. */
  readonly id: string;
  /** Absent where it was launched without one: by an older version. */
  readonly plan?: ExperimentPlan;
  readonly hypothesis: string;
  readonly command: string;
  /** Oldest first; those that never came to life are left out. */
  readonly runs: readonly LedgerRow[];
  readonly status: ExperimentStatus;
  /** `3 ok, 1 failed (exit code 1)`; of what goes on `2 running`. */
  readonly verdicts: string;
  /** Of the metric that decides; absent where no run has a finite value of it. */
  readonly result?: ExperimentResult;
  /** What was thought about it; absent until one of its runs has started. */
  readonly cost?: ThinkingCost;
  /** Time of all its runs together that are over. */
  readonly runMs: number;
  /** Of each run. */
  readonly limit?: RunLimit;
  /** The one that counts; absent while it is undecided. */
  readonly decision?: ExperimentDecision;
  /** All of them, oldest first. */
  readonly decisions: readonly ExperimentDecision[];
  readonly isChampion: boolean;
}

/**
 * A row of a `results.tsv` that was brought in. Its numbers are somebody's word, not measured here.
 */
export interface ImportedResult {
  /** As it was written, usually seven characters; empty where none was. */
  readonly commit: string;
  readonly metric: string;
  /** Absent of a crash. */
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
  /** Oldest first, nothing left out. */
  readonly experiments: readonly ExperimentRow[];
  /**
   * The metric that decides: the goal's, else the first one with a direction that the runs share.
   */
  readonly decisive?: Decisive;
  /** The run that is best; its experiment is the champion too. */
  readonly champion?: LedgerRow;
  /**
   * Results of before that a user brought in: told to the agent, and never ranked with what was
   * measured here.
   */
  readonly imported: readonly ImportedResult[];
}

export type LedgerEntry = Omit<LedgerRow, 'isChampion'>;

/** `queued`, `running`, or its verdict in words. */
export function rowStatus({
  verdict,
  startedMs,
}: Pick<LedgerRow, 'verdict' | 'startedMs'>): string {
  if (verdict !== undefined) return verdictText(verdict);
  return startedMs === undefined ? 'queued' : 'running';
}

/**
 * The summary of `metric` in `row`, matched without case, also by the last part of a path
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
