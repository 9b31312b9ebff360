/**
 * Types of the ledger: the champion, and a row per experiment and per run. A row contains measured
 * values only.
 */
import type { RunId } from '../base/ids.ts';
import { counted, formatSpread, formatValue } from '../base/text.ts';
import type { MetricSummary } from '../metrics/metric.ts';
import { findMetric } from '../metrics/metricName.ts';
import { printedValue } from '../metrics/printedValue.ts';
import { runNames, verdictText, type RunLimit, type Verdict, type RunAlarm } from '../runs/run.ts';
import type { Decision, ExperimentPlan } from './experiment.ts';
import type { RunAnnotation } from './runAnnotation.ts';
import { seedOf, type Statistics } from './seeds.ts';
import type { Objective, Repeats, ValueRule } from './target/target.ts';

/** Cost of model calls. If a price is unknown, `usd` is a lower bound. */
export interface ThinkingCost {
  readonly usd: number;
  /** Sum of input tokens (cached or not) and output tokens. */
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
  /** The seed with which Helios launched the run; omitted if only the command can tell. */
  readonly seed?: string;
  /** The command with a placeholder for a seed that is not an option; omitted if there is none. */
  readonly setting?: string;
  /** Omitted until the run has ended. */
  readonly verdict?: Verdict;
  readonly startedMs?: number;
  readonly endedMs?: number;
  readonly metrics: readonly MetricSummary[];
  /** Id (`env1`) of the recorded environment, such as packages and drivers. */
  readonly envId?: string;
  /**
   * The run's share of the cost of its experiment: the cost from the launch of the run to the
   * launch of the next run. Omitted until the run has started.
   */
  readonly cost?: ThinkingCost;
  /** Id of the experiment that the run belongs to: `e7`. */
  readonly experimentId?: string;
  /**
   * Set if the run repeats its experiment only to check the result. Its values are compared with the
   * result, and never part of it.
   */
  readonly isReproduction?: true;
  /** Id of the sweep that the run is a point of: `s1`. */
  readonly sweepId?: string;
  readonly limit?: RunLimit;
  /** The alarm that ended the run or made Helios ask the user; otherwise the last alarm. */
  readonly alarm?: RunAlarm;
  /** The decision in force on the run's setting or experiment; omitted while undecided. */
  readonly decision?: ExperimentDecision;
  /** Tags and note of the user; omitted if there were never any. */
  readonly annotation?: RunAnnotation;
  readonly isChampion: boolean;
}

/** An experiment as recorded in the journal. */
export interface PlannedExperiment {
  readonly plan: ExperimentPlan;
  readonly plannedMs: number;
  /** Decisions on the experiment and on its settings, oldest first. */
  readonly decisions: readonly ExperimentDecision[];
}

export interface ExperimentDecision {
  readonly decision: Decision;
  readonly why: string;
  readonly by: 'agent' | 'engine' | 'person';
  readonly atMs: number;
  /**
   * Numbers of the runs of the decided setting; omitted if the decision is on the whole experiment.
   */
  readonly runs?: readonly number[];
  /**
   * True for a `keep` that further seeds may reverse: there is only one run, or the gain is within
   * the noise.
   */
  readonly isProvisional?: true;
}

/**
 * - `planned`: none of the experiment's runs has started
 * - `over`: all of the experiment's runs have ended
 * - `not_started`: none of the experiment's runs could be started
 */
export type ExperimentStatus = 'planned' | 'running' | 'over' | 'not_started';

/**
 * The measured result of an experiment, over runs that repeat each other. The value of a seed is the
 * mean of its runs. If the experiment has several groups of repeats, this is the result of the best group.
 */
export interface ExperimentResult extends Statistics {
  readonly metric: string;
  /** The best value of a run. */
  readonly best: number;
  readonly rule: ValueRule;
  readonly runs: readonly LedgerRow[];
  /** Measured repeats with seeds that the goal does not name, which do not count. Omitted if none. */
  readonly others?: readonly LedgerRow[];
  /** The repeats of the goal that are not measured: `seeds 1, 2 missing`. Omitted if none. */
  readonly lack?: string;
}

export interface ExperimentRow {
  /**
   * Id of the experiment: `e7`. For runs without an experiment, the id of their sweep (`s1`) or, if
   * they are not part of a sweep, `run 3`.
   */
  readonly id: string;
  /** The plan; omitted for a launch by an older version, which recorded no plan. */
  readonly plan?: ExperimentPlan;
  readonly hypothesis: string;
  readonly command: string;
  /**
   * The experiment's runs, oldest first, without reproductions and runs that could not be started.
   */
  readonly runs: readonly LedgerRow[];
  /** The runs that repeat the experiment only to check its result, oldest first; omitted if none. */
  readonly reproductions?: readonly LedgerRow[];
  readonly status: ExperimentStatus;
  /** Number of runs per status, as text: `3 ok, 1 failed (exit code 1), 2 running`. */
  readonly verdicts: string;
  /** The result in the decisive metric; omitted if no run has a finite value of this metric. */
  readonly result?: ExperimentResult;
  /** Cost of the experiment's model calls; omitted until one of its runs has started. */
  readonly cost?: ThinkingCost;
  /** Total duration of the experiment's runs that have ended. */
  readonly runMs: number;
  /** The time limit for each run. */
  readonly limit?: RunLimit;
  /**
   * The decision in force. If a setting is kept, the decision on that setting; omitted while a
   * setting is undecided.
   */
  readonly decision?: ExperimentDecision;
  /** All decisions, oldest first. */
  readonly decisions: readonly ExperimentDecision[];
  readonly isChampion: boolean;
}

/**
 * A result that was made outside Helios: a row of a `results.tsv`, or a run in other files. Helios
 * did not measure its numbers.
 */
export interface ImportedResult {
  /** The commit as written in the file, usually seven characters; may be empty. */
  readonly commit: string;
  readonly metric: string;
  /** Value of the metric; omitted for a crash. */
  readonly value?: number;
  readonly memoryGb?: number;
  /**
   * `ok`: the run ended successfully and no decision is known. `unknown`: the file does not say how
   * the run ended.
   */
  readonly status: 'keep' | 'discard' | 'crash' | 'ok' | 'unknown';
  readonly description: string;
  /**
   * Finite values of a run in files, by metric: last (the best, if the last is not finite) and best.
   * Omitted for a row of a ledger.
   */
  readonly values?: Readonly<Record<string, readonly [last: number, best: number]>>;
}

/** An imported result with the name by which tools find it: `i2#7`. */
export interface NamedResult extends ImportedResult {
  readonly id: string;
  /** Name of the file or folder, with its machine. */
  readonly source: string;
}

/**
 * The metric by which runs are ranked, its better direction, and whether the last or the best value
 * of a run is used.
 */
export interface Decisive extends Objective {
  readonly rule: ValueRule;
  /** Repeats over which the goal asks for the mean; omitted if it asks for none. */
  readonly repeats?: Repeats;
}

export interface Ledger {
  readonly rows: readonly LedgerRow[];
  /** All experiments, oldest first. */
  readonly experiments: readonly ExperimentRow[];
  /**
   * The decisive metric, by which runs are ranked: the metric of the target. Without a target,
   * among the metrics whose better direction is known: a metric on validation or test data, then
   * the metric that most runs have.
   */
  readonly decisive?: Decisive;
  /** The best run. The experiment of this run is marked as champion, too. */
  readonly champion?: LedgerRow;
  /** Result of the champion and of the runs that repeat it. */
  readonly best?: ExperimentResult;
  /**
   * The highest-ranked of the other results whose mean is better than that of the champion. It is
   * not the champion because it rests on too few runs, is not kept, or breaks a limit of the goal.
   */
  readonly rival?: ExperimentResult;
  /**
   * Results that were made outside Helios and imported. The agent sees them, but they are never
   * ranked together with measured values.
   */
  readonly imported: readonly NamedResult[];
}

export type LedgerEntry = Omit<LedgerRow, 'isChampion'>;

/** The facts that determine the status of a run. */
export interface StatusFacts {
  readonly verdict?: Verdict | undefined;
  readonly startedMs?: number | undefined;
  readonly alarm?: RunAlarm | undefined;
}

/**
 * Returns the status of a run as recorded: `queued` until it has started, `running`, or how it
 * ended.
 */
export function rowStatus({ verdict, startedMs, alarm }: StatusFacts): string {
  if (verdict !== undefined) return verdictText(verdict, alarm);
  return startedMs === undefined ? 'queued' : 'running';
}

const undecidedText: Readonly<Record<ExperimentStatus, string>> = {
  planned: 'waiting',
  running: 'running',
  over: 'not decided',
  not_started: 'did not start',
};

/**
 * Returns the decisions about an experiment, the one in force first, or its status: `keep`,
 * `keep (runs 4, 5); discard (run 6)`, `keep (provisional)`, `running`, `not decided`.
 */
export const experimentStatus = ({
  decision,
  status,
  runs = [],
}: Pick<ExperimentRow, 'decision' | 'status'> & Partial<Pick<ExperimentRow, 'runs'>>): string => {
  if (decision === undefined) return undecidedText[status];
  const first = decisionName(namedRuns(decision, runs));
  const others = new Map(
    runs.flatMap((row) => {
      const other = row.decision && decisionName(namedRuns(row.decision, runs));
      return other === undefined || row.decision?.runs === undefined ? [] : [[other, other]];
    }),
  );
  others.delete(first);
  return [first, ...others.values()].join('; ');
};

/** Returns a decision on a setting with the runs of all settings that were decided alike. */
function namedRuns(decided: ExperimentDecision, rows: readonly LedgerRow[]): ExperimentDecision {
  if (decided.runs === undefined) return decided;
  const alike = rows.filter(
    ({ decision }) =>
      decision?.runs !== undefined &&
      decision.decision === decided.decision &&
      decision.isProvisional === decided.isProvisional,
  );
  const numbers = new Set([...decided.runs, ...alike.map(({ number }) => number)]);
  return { ...decided, runs: [...numbers].toSorted((a, b) => a - b) };
}

/** Formats a decision without its reason: `discard`, `keep (run 4, provisional)`. */
export const decisionName = (
  decided: Pick<ExperimentDecision, 'decision' | 'runs' | 'isProvisional'>,
): string => `${decided.decision}${decisionScope(decided)}`;

/** Formats the limits of a decision: ` (run 4, provisional)`; empty if it has none. */
export function decisionScope({
  runs = [],
  isProvisional,
}: Pick<ExperimentDecision, 'runs' | 'isProvisional'>): string {
  const details = [
    ...(runs.length === 0 ? [] : [`${runs.length === 1 ? 'run' : 'runs'} ${runs.join(', ')}`]),
    ...(isProvisional ? ['provisional'] : []),
  ];
  return details.length === 0 ? '' : ` (${details.join(', ')})`;
}

/** Counts runs by status, without their alarms: `3 ok`, `1 killed`, `2 running`. */
export const statusCounts = (rows: readonly StatusFacts[]): string[] =>
  [...Map.groupBy(rows, ({ verdict, startedMs }) => rowStatus({ verdict, startedMs }))].map(
    ([status, group]) => `${group.length} ${status}`,
  );

/** Returns the summary of `metric` in `metrics`; accepts other spellings (see `findMetric`). */
export function summaryFor(
  metrics: readonly MetricSummary[],
  metric: string,
): MetricSummary | undefined {
  const exact = metrics.find((summary) => summary.metric === metric);
  if (exact !== undefined || metrics.length === 0) return exact;
  const name = findMetric(
    metric,
    metrics.map((summary) => summary.metric),
  );
  return name === undefined ? undefined : metrics.find((summary) => summary.metric === name);
}

/**
 * Returns the last or best value of a run, as the rule of the metric says; NaN if the run printed
 * no finite value.
 */
export function countedValue(
  { last, min, max }: MetricSummary,
  { rule, direction }: Pick<Decisive, 'rule' | 'direction'>,
): number {
  if (rule === 'last') return last;
  return direction === 'lower' ? min : max;
}

const numbersOf = (runs: readonly LedgerRow[]): number[] => runs.map(({ number }) => number);

/** Counts runs: `3 runs`, or `seeds 0, 1, 2, 6 runs` if a seed was run several times. */
function repeatsText(runs: readonly LedgerRow[]): string {
  const seeds = new Set(runs.map(seedOf));
  const text = counted(runs.length, 'run');
  return seeds.size === runs.length || seeds.has(undefined)
    ? text
    : `${seeds.size === 1 ? 'seed' : 'seeds'} ${[...seeds].join(', ')}, ${text}`;
}

/** Formats a result without its metric and its notes: `0.83 ± 0.02`. */
export function resultNumber({ metric, mean, spread, n, runs }: ExperimentResult): string {
  const summary = n === 1 ? summaryFor(runs[0]?.metrics ?? [], metric) : undefined;
  const value = summary === undefined ? formatValue(mean) : printedValue(mean, summary);
  return spread === undefined ? value : `${value} ± ${formatSpread(spread)}`;
}

/** Formats a result: `loss 0.83 ± 0.02 over 3 runs`, `loss 0.83 (so far)`. */
export function resultValueText(result: ExperimentResult): string {
  const { spread, runs } = result;
  return textOver(result, spread === undefined ? '' : ` over ${repeatsText(runs)}`, []);
}

/**
 * Formats a result as `resultValueText` does, but names its runs if further runs of the setting do
 * not count: `loss 0.83 ± 0.02 over runs 1–3 (seeds of the goal, without run 4)`.
 */
export function resultRunsText(result: ExperimentResult): string {
  const { runs, others } = result;
  if (others === undefined) return resultValueText(result);
  const note = `seeds of the goal, without ${runNames(numbersOf(others))}`;
  return textOver(result, ` over ${runNames(numbersOf(runs))}`, [note]);
}

function textOver(result: ExperimentResult, over: string, first: readonly string[]): string {
  const { metric, rule, runs, lack } = result;
  const text = `${metric} ${resultNumber(result)}${over}`;
  const notes = [
    ...first,
    ...(rule === 'best' ? ['best of each run'] : []),
    ...(lack ? [lack] : []),
    ...(runs.some(({ verdict }) => verdict === undefined) ? ['so far'] : []),
  ];
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`;
}

/** Formats the last or best value of a run without its metric: `0.41`. */
export function valueNumber(
  metrics: readonly MetricSummary[],
  decisive: Decisive,
): string | undefined {
  const summary = summaryFor(metrics, decisive.metric);
  return summary && printedValue(countedValue(summary, decisive), summary);
}

/** Formats the last or best value of a run: `val_loss 0.41`, `val_acc 0.97 (best of 60 points)`. */
export function valueText(
  metrics: readonly MetricSummary[],
  decisive: Decisive,
): string | undefined {
  const summary = summaryFor(metrics, decisive.metric);
  if (summary === undefined) return undefined;
  const text = `${summary.metric} ${printedValue(countedValue(summary, decisive), summary)}`;
  return decisive.rule === 'last' ? text : `${text} (best of ${counted(summary.count, 'point')})`;
}
