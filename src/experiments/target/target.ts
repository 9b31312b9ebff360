/** The measurable target of a session: what its runs have to reach, and by which value. */
import { formatRatio } from '../../base/text.ts';
import type { Direction } from '../../metrics/metric.ts';

export type Comparator = '<' | '<=' | '>' | '>=';

/**
 * Which value of a run counts: the last one, or the best one (early stopping, best checkpoint).
 */
export type ValueRule = 'last' | 'best';

/** A number to reach: `val_loss < 0.02, mean over seeds 0-2`. */
export interface Condition {
  readonly metric: string;
  readonly comparator: Comparator;
  /** If the condition is relative, a factor of the baseline. */
  readonly value: number;
  /** True if the goal has a percent sign; a measured value of 0.96 is then compared as 96. */
  readonly isPercent?: true;
  /** True if the baseline's value times `value` is to be reached. */
  readonly isRelative?: true;
  /**
   * Over runs that differ in nothing but the seed: their mean, or the worst of them. Omitted if one
   * run suffices.
   */
  readonly over?: 'mean' | 'worst';
  /** Seeds that have to be measured. */
  readonly seeds?: readonly number[];
  /** Number of seeds that have to be measured, where the goal names no seeds. */
  readonly seedCount?: number;
}

/** The metric that ranks runs. */
export interface Objective {
  readonly metric: string;
  readonly direction: Exclude<Direction, 'none'>;
}

export interface Target {
  /** All of them have to be met. Empty for an open goal: the best value that can be found. */
  readonly conditions: readonly Condition[];
  readonly objective: Objective;
  readonly rule: ValueRule;
}

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

/** Returns the value in the unit of the condition: a share as a percentage if that is asked for. */
export const comparable = (measured: number, { isPercent }: Condition): number =>
  isPercent === true && Math.abs(measured) <= 1 ? measured * 100 : measured;

export const isLowerBetter = (comparator: Comparator): boolean => comparator.startsWith('<');

/** Formats a condition: `val_loss < 0.02, mean over seeds 0, 1, 2`. */
export function conditionText(condition: Condition): string {
  const { metric, comparator, value, isPercent, isRelative } = condition;
  const number = isRelative
    ? `${formatRatio(value)} × the baseline`
    : `${value}${isPercent ? ' %' : ''}`;
  return `${metric} ${comparator} ${number}${overText(condition)}`;
}

/** Formats over which runs a condition counts: `, mean over seeds 0, 1, 2`; may be empty. */
export function overText({ over, seeds, seedCount }: Condition): string {
  if (over === undefined) return '';
  const runs =
    seeds !== undefined
      ? `seeds ${seeds.join(', ')}`
      : `${seedCount === undefined ? '' : `${seedCount} `}seeds`;
  return over === 'mean' ? `, mean over ${runs}` : `, each of ${runs}`;
}

/** Formats a target: `val_loss < 0.3 and acc > 90 %`, `lowest test_ppl`. */
export function targetText({ conditions, objective, rule }: Target): string {
  const what =
    conditions.length === 0
      ? `${objective.direction === 'lower' ? 'lowest' : 'highest'} ${objective.metric}`
      : conditions.map(conditionText).join(' and ');
  return rule === 'best' ? `${what} (best value of each run)` : what;
}

/**
 * Returns whether `stated` asks for at least what `required` asks for, whatever the names of their
 * metrics: the same number and comparator, over the same runs or each of them.
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

/** Returns the number as a share where it is a percentage. */
const numberOf = ({ value, isPercent }: Condition): number =>
  Number((isPercent ? value / 100 : value).toPrecision(12));
