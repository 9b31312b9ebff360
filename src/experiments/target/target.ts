/**
 * The measurable target of a session: what its runs have to reach, and which value of a run is
 * compared.
 */
import { formatRatio, formatValue } from '../../base/text.ts';
import { directionOf } from '../../metrics/direction.ts';
import type { Direction } from '../../metrics/metric.ts';
import { isSameMetric } from '../../metrics/metricName.ts';
import { runNames } from '../../runs/run.ts';

export type Comparator = '<' | '<=' | '>' | '>=';

/**
 * The value of a run that is compared: the last value, or the best value (early stopping, best
 * checkpoint).
 */
export type ValueRule = 'last' | 'best';

/** The repeats of a setting that have to be measured. */
export interface Repeats {
  readonly seeds?: readonly number[];
  /** Number of seeds, if the goal does not name them. */
  readonly seedCount?: number;
}

/** A number to reach: `val_loss < 0.02, mean over seeds 0-2`. */
export interface Condition extends Repeats {
  readonly metric: string;
  readonly comparator: Comparator;
  /** If the condition is relative, a factor of the baseline. */
  readonly value: number;
  /**
   * True if the number in the goal has a percent sign; a measured value of 0.96 is then compared as
   * 96.
   */
  readonly isPercent?: true;
  /** True if the value to reach is the baseline's value times `value`. */
  readonly isRelative?: true;
  /**
   * Aggregate over runs that differ only in the seed: their mean, or the worst of them. Omitted if
   * one run suffices.
   */
  readonly over?: 'mean' | 'worst';
}

/** The metric that ranks runs. */
export interface Objective {
  readonly metric: string;
  readonly direction: Exclude<Direction, 'none'>;
}

export interface Target {
  /**
   * Conditions that all have to be met. Empty or only limits for an open goal, which asks for the
   * best possible value.
   */
  readonly conditions: readonly Condition[];
  readonly objective: Objective;
  readonly rule: ValueRule;
  /** Repeats over whose mean an open goal asks for the best value. */
  readonly repeats?: Repeats;
  /**
   * Number of a run of the setting that relative conditions compare with, as the user chose it.
   * Default: the first setting that measured the metric.
   */
  readonly baseline?: number;
}

/** The measured value that a relative condition compares with. */
export interface Baseline {
  readonly value: number;
  /** Numbers of the runs whose mean it is. */
  readonly runs: readonly number[];
}

/** Baselines of the relative conditions that have one. */
export type Baselines = ReadonlyMap<Condition, Baseline>;

/** Returns the repeats over which settings are ranked; `undefined` if one run suffices. */
export const repeatsOfTarget = ({ conditions, repeats }: Target): Repeats | undefined =>
  conditions.find(({ over }) => over !== undefined) ?? repeats;

/**
 * Returns true for a limit: a condition on a metric that is neither better lower nor better higher.
 */
export const isLimit = ({ metric, isRelative }: Condition): boolean =>
  isRelative !== true && amounts.test(metric);

const amounts = /(?:^|[\s_/-])(?:parameters|params|parametern?|epochs?|steps?|iterations?)$/i;

/** Returns whether the goal asks for the best possible value, perhaps within limits. */
export const isOpen = ({ conditions, objective }: Target): boolean =>
  conditions.every((one) => isLimit(one) && one.metric !== objective.metric);

/**
 * Returns the objective of conditions that name none: the metric of the first condition that can
 * rank runs, which a limit cannot.
 */
export function objectiveOf(conditions: readonly Condition[]): Objective | undefined {
  const reached = conditions.filter((one) => !isLimit(one));
  const first =
    reached.find(({ metric }) => directionOf(metric) !== 'none') ?? reached[0] ?? conditions[0];
  if (first === undefined) return undefined;
  const { metric, comparator } = first;
  return { metric, direction: isLowerBetter(comparator) ? 'lower' : 'higher' };
}

/** Returns all metrics of a target with their better directions; first the one that ranks runs. */
export const objectivesOf = ({ objective, conditions }: Target): readonly Objective[] => [
  objective,
  ...conditions.map(({ metric, comparator }): Objective => ({
    metric,
    direction: isLowerBetter(comparator) ? 'lower' : 'higher',
  })),
];

/**
 * Returns which value of a run a condition compares. The best value decides only for the metric that
 * ranks runs: the best epoch of a run that ended at epoch 16 is no number of epochs.
 */
export const ruleFor = (
  { metric, comparator }: Condition,
  { objective, rule }: Pick<Target, 'objective' | 'rule'>,
): ValueRule => {
  const ranks = isSameMetric(metric, objective.metric);
  const isSameWay = isLowerBetter(comparator) === (objective.direction === 'lower');
  return ranks && isSameWay ? rule : 'last';
};

export function meetsCondition(measured: number, condition: Condition): boolean {
  if (!Number.isFinite(measured)) return false;
  const value = comparable(measured, condition);
  switch (condition.comparator) {
    case '<':
      return value < condition.value;
    case '<=':
      return value <= condition.value;
    case '>':
      return value > condition.value;
    case '>=':
      return value >= condition.value;
  }
}

/**
 * Returns the value in the unit of the condition: if the condition is a percentage, a fraction is
 * converted to a percentage.
 */
export const comparable = (measured: number, { isPercent }: Condition): number =>
  isPercent === true && Math.abs(measured) <= 1 ? measured * 100 : measured;

export const isLowerBetter = (comparator: Comparator): boolean => comparator.startsWith('<');

/**
 * Formats a condition: `val_loss < 0.02, mean over seeds 0, 1, 2`, `val_loss <= 0.31 (half of the
 * baseline's 0.62, run 2)`.
 */
export function conditionText(condition: Condition, baseline?: Baseline): string {
  const { metric, comparator, value, isPercent, isRelative } = condition;
  const number = isRelative ? relativeText(value, baseline) : `${value}${isPercent ? ' %' : ''}`;
  return `${metric} ${comparator} ${number}${overText(condition)}`;
}

function relativeText(factor: number, baseline: Baseline | undefined): string {
  if (baseline === undefined) return `${factorText(factor)} × the baseline`;
  const times = factor === 0.5 ? 'half of' : `${factorText(factor)} ×`;
  return `${formatValue(factor * baseline.value)} (${times} ${baselineText(baseline)})`;
}

/** Formats a factor so that it can be read again exactly: `0.05`, `1/3`. */
function factorText(factor: number): string {
  const rounded = formatRatio(factor);
  if (Number(rounded) === factor) return rounded;
  const inverse = Math.round(1 / factor);
  return 1 / inverse === factor ? `1/${inverse}` : `${factor}`;
}

/** Formats a baseline: `the baseline's 0.62, run 2`. */
export const baselineText = ({ value, runs }: Baseline): string =>
  `the baseline's ${formatValue(value)}, ${runNames(runs)}`;

/**
 * Formats the runs over which a condition is judged: `, mean over seeds 0, 1, 2`; empty if one run
 * suffices.
 */
export function overText({
  over,
  seeds,
  seedCount,
}: Omit<Condition, 'metric' | 'comparator' | 'value'>): string {
  if (over === undefined) return '';
  const runs =
    seeds !== undefined
      ? `seeds ${seeds.join(', ')}`
      : `${seedCount === undefined ? '' : `${seedCount} `}seeds`;
  return over === 'mean' ? `, mean over ${runs}` : `, each of ${runs}`;
}

const wayText = ({ direction, metric }: Objective): string =>
  `${direction === 'lower' ? 'lowest' : 'highest'} ${metric}`;

/**
 * Formats a target: `val_loss < 0.3 and acc > 90 %`, `lowest test_ppl with params <= 20000`. Names
 * the values of `baselines`.
 */
export function targetText(target: Target, baselines?: Baselines): string {
  const { conditions, objective, rule, repeats } = target;
  const open = isOpen(target);
  const isMixed = conditions.some(({ over }) => over !== undefined);
  const bounds = conditions
    .map((one) => {
      const isAny = isMixed && one.over === undefined && !isLimit(one);
      return `${conditionText(one, baselines?.get(one))}${isAny ? ', any run' : ''}`;
    })
    .join(' and ');
  const over = repeats === undefined ? '' : overText({ ...repeats, over: 'mean' });
  const best = `${wayText(objective)}${over}`;
  const usual = objectiveOf(conditions);
  const isUsual = usual?.metric === objective.metric && usual.direction === objective.direction;
  const ranked = open || isUsual ? '' : `, ranked by ${wayText(objective)}`;
  const what = !open ? `${bounds}${ranked}` : bounds === '' ? best : `${best} with ${bounds}`;
  return rule === 'best' ? `${what} (best value of each run)` : what;
}

/**
 * Returns whether `stated` demands at least as much as `required`: the same number and comparator,
 * over the same runs or over each of them. Ignores the names of their metrics.
 */
export function isSameBound(required: Condition, stated: Condition): boolean {
  const isSameNumber =
    numberOf(required) === numberOf(stated) && required.comparator === stated.comparator;
  const isSameBase = (required.isRelative ?? false) === (stated.isRelative ?? false);
  const isSameOver =
    required.over === undefined || stated.over === required.over || stated.over === 'worst';
  return isSameNumber && isSameBase && isSameOver && hasSeedsOf(required, stated);
}

function hasSeedsOf(required: Condition, { seeds = [], seedCount = 0 }: Condition): boolean {
  const count = required.seedCount ?? 0;
  const hasEach = (required.seeds ?? []).every((seed) => seeds.includes(seed));
  return hasEach && Math.max(seeds.length, seedCount) >= count;
}

/** Returns the number of a condition; a percentage is converted to a share. */
const numberOf = ({ value, isPercent }: Condition): number =>
  Number((isPercent ? value / 100 : value).toPrecision(12));
