/** Compares measured values with a target. Uses only values that the engine read from runs. */
import { formatRatio, formatSpread, formatValue } from '../../base/text.ts';
import { runName, runNames } from '../../runs/run.ts';
import { summaryFor, type Ledger, type LedgerRow } from '../ledger.ts';
import { isInvalid, isOut } from '../decisionsInForce.ts';
import { measuredRows, summaryOfRepeats } from '../ledgerExperiments.ts';
import { settingGroups } from '../repeats.ts';
import { repeatStatistics, valuesOfSeeds, type MeasuredRow } from '../repeatStatistics.ts';
import { mean, seedOf } from '../seeds.ts';
import {
  baselineText,
  comparable,
  isLimit,
  isLowerBetter,
  meetsCondition,
  overText,
  repeatsOfTarget,
  ruleFor,
  targetText,
  type Baseline,
  type Baselines,
  type Condition,
  type Target,
  type ValueRule,
} from './target.ts';

export interface ConditionResult {
  readonly condition: Condition;
  /**
   * The measured value or, for a relative condition, its ratio to the baseline. Omitted if no run
   * can be used.
   */
  readonly value?: number;
  /** Value of the baseline, for a relative condition that could be judged. */
  readonly baseline?: number;
  readonly isMet: boolean;
  /** True if `value` does not reach the number, whichever seeds are missing. */
  readonly isBroken: boolean;
  /** The comparison with its runs: `val_loss 0.018 < 0.02, mean over seeds 0, 1, 2 (runs 4–6)`. */
  readonly text: string;
}

/** Result of one setting, with all its repeats. */
export interface GroupResult {
  readonly runs: readonly LedgerRow[];
  readonly conditions: readonly ConditionResult[];
  /** True if there are conditions, and all of them are met. */
  readonly isMet: boolean;
}

type Experiments = Pick<Ledger, 'experiments'>;

/**
 * Returns the runs that can be evidence: runs that ended successfully and were not decided invalid
 * or crash.
 */
export const countedRows = ({ experiments }: Experiments): readonly LedgerRow[] =>
  experiments
    .flatMap(({ runs }) => runs)
    .filter(({ verdict, decision }) => verdict?.kind === 'ok' && !isInvalid(decision));

/** Judges every setting, in the order of the experiments. */
export function judgeSettings(target: Target, ledger: Experiments): GroupResult[] {
  const groups = groupsOf(ledger);
  const baselines = new Map(
    target.conditions.map((condition) => [condition, baselineOf(condition, target, groups)]),
  );
  return groups.map((runs) => {
    const conditions = target.conditions.map((condition) =>
      judgeCondition(condition, {
        rule: ruleFor(condition, target),
        runs,
        baseline: baselines.get(condition) ?? [],
      }),
    );
    const isMet = conditions.length > 0 && conditions.every((one) => one.isMet);
    return { runs, conditions, isMet };
  });
}

/** Returns the baselines that were measured. */
export function baselinesOf(target: Target, ledger: Experiments): Baselines {
  const relative = target.conditions.filter(({ isRelative }) => isRelative);
  const groups = relative.length === 0 ? [] : groupsOf(ledger);
  return new Map(
    relative.flatMap((condition): [Condition, Baseline][] => {
      const measured = baselineOf(condition, target, groups);
      return measured.length === 0 ? [] : [[condition, asBaseline(measured)]];
    }),
  );
}

const asBaseline = (measured: readonly Measured[]): Baseline => ({
  value: mean(valuesOfSeeds(measured)),
  runs: measured.map(({ row }) => row.number),
});

/** Formats the target with the baselines and the numbers that follow from them. */
export const targetIn = (target: Target, ledger: Experiments): string =>
  targetText(target, baselinesOf(target, ledger));

/**
 * Judges the settings that `rows` belong to, each with all its repeats, so that no repeat can be
 * left out. The best setting comes first: the one that meets most conditions, then a kept one
 * before a provisional, an undecided and a discarded one, then the one with the best value.
 */
export function judgeRows(
  target: Target,
  ledger: Experiments,
  rows: readonly LedgerRow[],
): GroupResult[] {
  const named = new Set(rows.map(({ runId }) => runId));
  return judgeSettings(target, ledger)
    .filter(({ runs }) => runs.some(({ runId }) => named.has(runId)))
    .toSorted(
      (a, b) =>
        metCount(b) - metCount(a) ||
        standingOf(a) - standingOf(b) ||
        valueRank(a, target) - valueRank(b, target),
    );
}

/** Returns the numbers of the runs of each setting that meets the target. */
export const runsThatMeet = (target: Target, ledger: Ledger): readonly number[] =>
  judgeRows(target, ledger, countedRows(ledger))
    .filter(({ isMet }) => isMet)
    .flatMap(({ runs }) => runs.map(({ number }) => number));

/** Returns 0 for a confirmed keep, 1 for a provisional one, 2 if undecided, 3 if excluded. */
function standingOf({ runs }: GroupResult): number {
  const keeps = runs.flatMap(({ decision }) => (decision?.decision === 'keep' ? decision : []));
  if (keeps.length > 0) return keeps.every((one) => one.isProvisional) ? 1 : 0;
  return runs.every(({ decision }) => isOut(decision)) ? 3 : 2;
}

/** Returns the mean of the objective, so that a lower rank is better; infinite without a value. */
function valueRank({ runs }: GroupResult, target: Target): number {
  const { objective, rule } = target;
  const repeats = repeatsOfTarget(target);
  const decisive = { ...objective, rule, ...(repeats && { repeats }) };
  const { mean: value = Infinity } = summaryOfRepeats(runs, decisive) ?? {};
  return Number.isFinite(value) && objective.direction === 'higher' ? -value : value;
}

/** Returns whether the setting of the runs breaks a limit of the target. */
export const isOverLimit = (
  target: Target | undefined,
  ledger: Experiments,
  runs: readonly LedgerRow[],
): boolean =>
  target !== undefined &&
  judgeRows(target, ledger, runs).some(({ conditions }) =>
    conditions.some(({ condition, isBroken }) => isBroken && isLimit(condition)),
  );

/**
 * Returns the conditions that the setting of a run breaks on another metric than the objective, by
 * number of the run: `model_kb < 600 (922)`.
 */
export const breachesOf = (
  target: Target | undefined,
  ledger: Experiments,
): ReadonlyMap<number, string> =>
  new Map(
    (target === undefined ? [] : judgeSettings(target, ledger)).flatMap(({ runs, conditions }) => {
      const texts = conditions.flatMap((one) => breachText(one, target?.objective.metric));
      return texts.length === 0 ? [] : runs.map((row) => [row.number, texts.join(', ')] as const);
    }),
  );

function breachText(result: ConditionResult, objective: string | undefined): readonly string[] {
  const { condition, isBroken, value, baseline = 1 } = result;
  if (!isBroken || condition.metric === objective || value === undefined) return [];
  const { metric, comparator, isPercent, isRelative } = condition;
  const wanted = isRelative ? formatValue(condition.value * baseline) : `${condition.value}`;
  const measured = formatValue(comparable(value, condition) * baseline);
  return [`${metric} ${comparator} ${wanted}${isPercent ? ' %' : ''} (${measured})`];
}

/** Judges the champion with its repeats; `undefined` if there is no champion. */
export function judgeChampion(target: Target, ledger: Ledger): GroupResult | undefined {
  return ledger.best && judgeRows(target, ledger, ledger.best.runs)[0];
}

const metCount = ({ conditions }: GroupResult): number =>
  conditions.filter(({ isMet }) => isMet).length;

/** Groups the runs that can be evidence by setting, across experiments. */
function groupsOf(ledger: Experiments): readonly (readonly LedgerRow[])[] {
  const counted = new Set(countedRows(ledger).map(({ runId }) => runId));
  return settingGroups(ledger.experiments)
    .map((runs) => runs.filter(({ runId }) => counted.has(runId)))
    .filter((runs) => runs.length > 0);
}

interface Group {
  readonly rule: ValueRule;
  readonly runs: readonly LedgerRow[];
  /** Values from which the baseline of a relative condition is computed. */
  readonly baseline: readonly Measured[];
}

type Measured = MeasuredRow<LedgerRow>;

const neededRuns = ({ seeds, seedCount, over }: Condition): number =>
  seeds?.length ?? seedCount ?? (over === undefined ? 1 : 2);

function judgeCondition(condition: Condition, group: Group): ConditionResult {
  const { seeds, over } = condition;
  const all = measuredIn(condition, group);
  const of = ofSeeds(all, seeds);
  if (of.length === 0) return unmet(condition, notRead(condition, group.runs, all));
  const needed = neededRuns(condition);
  const count = over === undefined ? of.length : valuesOfSeeds(of).length;
  const value = aggregate(condition, of);
  const baseline = condition.isRelative ? asBaseline(group.baseline) : undefined;
  const problem = baseline && baselineProblem(condition, group, baseline);
  if (problem !== undefined) return unmet(condition, problem);
  const factor = baseline?.value ?? 1;
  const shown = comparable(value / factor, condition);
  const isReached = meetsCondition(value / factor, condition);
  const isMet = count >= needed && isReached;
  const runs = count < needed ? tooFewRuns(condition, of, needed) : overRuns(condition, of);
  return {
    condition,
    value: value / factor,
    ...(condition.isRelative && { baseline: factor }),
    isMet,
    isBroken: !isReached,
    text: `${comparison(condition, { shown, isReached, baseline })}${runs}`,
  };
}

const ofSeeds = (all: readonly Measured[], seeds: Condition['seeds']): readonly Measured[] =>
  seeds === undefined ? all : all.filter(({ row }) => seeds.includes(Number(seedOf(row))));

/**
 * Formats which runs were measured and which seeds are missing. Does not contain a mean, because a
 * mean over too few seeds must not be mistaken for that of the target.
 */
function tooFewRuns(condition: Condition, measured: readonly Measured[], needed: number): string {
  const names = runNames(measured.map(({ row }) => row.number));
  const missing = seedsMissing(condition, measured);
  return ` (${names} only)${missing === '' ? `; ${needed} seeds are needed` : missing}`;
}

/** Formats the reason for a missing value: the metric was not read, or it has no finite value. */
function notRead(
  condition: Condition,
  runs: readonly LedgerRow[],
  measured: readonly Measured[],
): string {
  const { metric } = condition;
  const names = runNames(runs.map(({ number }) => number));
  if (measured.length > 0) return `${metric} of ${names}${seedsMissing(condition, [])}`;
  const isRead = runs.some(({ metrics }) => summaryFor(metrics, metric) !== undefined);
  return isRead
    ? `${metric} has no finite value in ${names}`
    : `${metric} was not read from ${names}`;
}

const unmet = (condition: Condition, text: string): ConditionResult => ({
  condition,
  isMet: false,
  isBroken: false,
  text,
});

function comparison(
  { metric, comparator, value: goal, isPercent }: Condition,
  {
    shown,
    isReached,
    baseline,
  }: { shown: number; isReached: boolean; baseline: Baseline | undefined },
): string {
  const unit = isPercent ? ' %' : '';
  const factor = baseline?.value ?? 1;
  const wanted = baseline === undefined ? `${goal}` : formatValue(goal * factor);
  const measured = `${metric} ${formatValue(shown * factor)}${unit}`;
  const ratio =
    baseline === undefined ? '' : ` (${formatRatio(shown)} × ${baselineText(baseline)})`;
  return `${measured}${isReached ? '' : ', not'} ${comparator} ${wanted}${unit}${ratio}`;
}

function overRuns(condition: Condition, measured: readonly Measured[]): string {
  if (condition.over === undefined) return bestRun(condition, measured);
  const runs = runNames(measured.map(({ row }) => row.number));
  const deviation = condition.over === 'mean' ? repeatStatistics(measured).spread : undefined;
  return `${overText(condition)} (${runs}${deviation === undefined ? '' : `; ± ${formatSpread(deviation)}`})`;
}

/**
 * Formats the run whose value is used, and the mean of its repeats; only the runs if all values are
 * equal.
 */
function bestRun(condition: Condition, measured: readonly Measured[]): string {
  const value = aggregate(condition, measured);
  if (measured.every((one) => one.value === value))
    return ` (${runNames(measured.map(({ row }) => row.number))})`;
  const run = measured.find((one) => one.value === value);
  const name = run === undefined ? '' : runName(run.row.number);
  if (isLimit(condition)) return ` (${name}, the worst of ${measured.length} repeats)`;
  const center = formatValue(mean(valuesOfSeeds(measured)));
  return ` (${name}, the best of ${measured.length} repeats; mean ${center})`;
}

function measuredIn(
  condition: Condition,
  { rule, runs }: Pick<Group, 'rule' | 'runs'>,
): readonly Measured[] {
  const direction = isLowerBetter(condition.comparator) ? 'lower' : 'higher';
  return measuredRows(runs, { metric: condition.metric, direction, rule });
}

function seedsMissing({ seeds = [] }: Condition, measured: readonly Measured[]): string {
  const missing = seeds.filter((seed) => !measured.some(({ row }) => Number(seedOf(row)) === seed));
  if (missing.length === 0) return '';
  return `; missing: ${missing.length === 1 ? 'seed' : 'seeds'} ${missing.join(', ')}`;
}

/**
 * Returns the value of a group that is compared: the mean or the worst, as `over` says. Without
 * `over`, the value of the best run; for a limit, the value of the worst run.
 */
function aggregate(condition: Condition, measured: readonly Measured[]): number {
  const { over, comparator } = condition;
  const values = over === undefined ? measured.map(({ value }) => value) : valuesOfSeeds(measured);
  if (over === 'mean') return mean(values);
  const wantsLeast = isLowerBetter(comparator) === (over === undefined && !isLimit(condition));
  return wantsLeast ? Math.min(...values) : Math.max(...values);
}

/**
 * Returns the measured values of the setting of the chosen run or, if none was chosen, of the first
 * setting that measured the metric; empty if there is none.
 */
const baselineOf = (
  condition: Condition,
  target: Target,
  groups: readonly (readonly LedgerRow[])[],
): readonly Measured[] =>
  groups
    .filter(
      (runs) =>
        target.baseline === undefined || runs.some(({ number }) => number === target.baseline),
    )
    .map((runs) => measuredIn(condition, { rule: ruleFor(condition, target), runs }))
    .filter((measured) => measured.length > 0)
    .toSorted((a, b) => (a[0]?.row.number ?? 0) - (b[0]?.row.number ?? 0))[0] ?? [];

/**
 * Returns why the runs cannot be compared with the baseline; `undefined` if they can be. The
 * baseline itself is compared with nothing.
 */
function baselineProblem(
  { metric }: Condition,
  { baseline, runs }: Group,
  { value }: Baseline,
): string | undefined {
  const own = new Set(runs.map(({ runId }) => runId));
  const names = runNames(baseline.map(({ row }) => row.number));
  if (baseline.some(({ row }) => own.has(row.runId)))
    return `${metric} ${formatValue(value)} is the baseline (${names})`;
  return baseline.length > 0 && value !== 0
    ? undefined
    : `there is no baseline of ${metric} to compare with`;
}

/** Returns whether any run printed the metric. */
export const isPrinted = ({ rows }: Ledger, metric: string): boolean =>
  rows.some(({ metrics }) => summaryFor(metrics, metric) !== undefined);
