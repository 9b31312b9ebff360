/** The measurable part of a goal, where its words name one: `loss < 1.0`, `accuracy above 95 %`, `val_loss <= 0.3`. */

export interface GoalTarget {
  readonly metric: string;
  readonly comparator: '<' | '<=' | '>' | '>=';
  readonly value: number;
  /** The goal wrote a percent sign: a share of 0.96 then counts as 96. */
  readonly isPercent?: true;
}

/** What stands before a number without being a metric: `in under 3 hours`, `for more than 5 epochs`. */
const noMetrics = new Set([
  'in',
  'for',
  'with',
  'within',
  'is',
  'to',
  'of',
  'stay',
  'stays',
  'gets',
  'goes',
  'at',
  'and',
  'or',
  'a',
  'an',
  'the',
  'use',
  'run',
  'runs',
]);

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
const targetPattern = new RegExp(
  `([A-Za-z][\\w./-]*)\\s*(?:is|of|stays|gets|goes|to|that is)?\\s*(${comparators})\\s*([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)(\\s*%)?`,
  'i',
);

/** The first comparison of a name with a number in `goal`; undefined when it names none. */
export function parseGoalTarget(goal: string): GoalTarget | undefined {
  const match = targetPattern.exec(goal);
  if (match === null) return undefined;
  const [, metric = '', word = '', number = '', percent] = match;
  if (noMetrics.has(metric.toLowerCase())) return undefined;
  const comparator = words[word.toLowerCase().replace(/\s+/g, ' ')];
  return comparator === undefined
    ? undefined
    : { metric, comparator, value: Number(number), ...(percent && { isPercent: true }) };
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
