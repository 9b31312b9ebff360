/** The measurable part of a goal, where its words name one: `loss < 1.0`, `accuracy above 95 %`, `val_loss <= 0.3`. */

export interface GoalTarget {
  readonly metric: string;
  readonly comparator: '<' | '<=' | '>' | '>=';
  readonly value: number;
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
const targetPattern = new RegExp(
  `([A-Za-z][\\w./-]*)\\s*(?:is|of|stays|gets|goes|to|that is)?\\s*(${comparators})\\s*([-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)(\\s*%)?`,
  'i',
);

/** The first comparison of a name with a number in `goal`; undefined when it names none. */
export function parseGoalTarget(goal: string): GoalTarget | undefined {
  const match = targetPattern.exec(goal);
  if (match === null) return undefined;
  const [, metric = '', word = '', number = ''] = match;
  const comparator = words[word.toLowerCase().replace(/\s+/g, ' ')];
  return comparator === undefined ? undefined : { metric, comparator, value: Number(number) };
}

export function meetsTarget(value: number, target: GoalTarget): boolean {
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

export const targetText = (target: GoalTarget): string => `${target.metric} ${target.comparator} ${target.value}`;
