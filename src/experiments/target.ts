/**
 * The measurable part of a goal, if its text has one: `loss < 1.0`, `accuracy above 95 %`,
 * `val_loss <= 0.3`.
 */
import { directionOf } from '../metrics/direction.ts';

export interface GoalTarget {
  readonly metric: string;
  readonly comparator: '<' | '<=' | '>' | '>=';
  readonly value: number;
  /** True if the goal has a percent sign; a measured value of 0.96 is then compared as 96. */
  readonly isPercent?: true;
}

const words: Readonly<Record<string, GoalTarget['comparator']>> = {
  '<': '<',
  '<=': '<=',
  '≤': '<=',
  '>': '>',
  '>=': '>=',
  '≥': '>=',
  below: '<',
  under: '<',
  'less than': '<',
  'lower than': '<',
  'at most': '<=',
  above: '>',
  over: '>',
  'more than': '>',
  'greater than': '>',
  'higher than': '>',
  'at least': '>=',
};

const comparators = Object.keys(words)
  .sort((a, b) => b.length - a.length)
  .map((word) => word.replace(/\s/g, '\\s+'))
  .join('|');
/** Units of amounts such as sizes, times and counts: `24 GB`, `3 hours`, `10 epochs`. */
const units =
  '[kmgt]i?b|[kmb]|hours?|hrs?|h|minutes?|mins?|seconds?|secs?|days?|weeks?|epochs?|steps?|iterations?|tokens?|samples?|params?|parameters?|layers?|runs?|tasks?|seeds?|trials?|gpus?|times';
const targetPattern = new RegExp(
  `([A-Za-z][\\w./-]*)\\s*(?:is|of|stays|gets|goes|to|that is)?\\s*(${comparators})\\s*([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)(\\s*%)?(?:\\s*(${units}|m?s)\\b)?`,
  'gi',
);

/**
 * Returns the first comparison in `goal` of a metric with a number; `undefined` if there is none.
 */
export function parseGoalTarget(goal: string): GoalTarget | undefined {
  for (const [, metric = '', word = '', number = '', percent, unit = ''] of goal.matchAll(
    targetPattern,
  )) {
    const comparator = words[word.toLowerCase().replace(/\s+/g, ' ')];
    if (comparator === undefined || !isMetric(metric, word, unit)) continue;
    return { metric, comparator, value: Number(number), ...(percent && { isPercent: true }) };
  }
  return undefined;
}

/**
 * Returns whether `name` in a comparison is a metric. A name with a known direction is a metric if
 * the number has no unit or is a time (`latency under 5 ms`). Any other name is a metric if the
 * number has no unit, and the comparator is a symbol (`<`) or the name contains `_` or `/`. For
 * example, `model` is not a metric in `a model under 24 GB`, because the number has a unit.
 */
function isMetric(name: string, comparator: string, unit: string): boolean {
  if (directionOf(name) !== 'none') return unit === '' || /^m?s$/i.test(unit);
  return unit === '' && (/^\W/.test(comparator) || /[_/]/.test(name));
}

export function meetsTarget(measured: number, target: GoalTarget): boolean {
  if (!Number.isFinite(measured)) return false;
  const value = target.isPercent === true && Math.abs(measured) <= 1 ? measured * 100 : measured;
  switch (target.comparator) {
    case '<':
      return value < target.value;
    case '<=':
      return value <= target.value;
    case '>':
      return value > target.value;
    case '>=':
      return value >= target.value;
  }
}

export const targetText = (target: GoalTarget): string =>
  `${target.metric} ${target.comparator} ${target.value}${target.isPercent ? ' %' : ''}`;
