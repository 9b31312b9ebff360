/**
 * Numbers in the text of a goal. The agent may use only these numbers when it states the target.
 */
import { aggregateOf, seedList, seedNumber } from './readAggregate.ts';
import { repeatsOfTarget, type Condition, type Target } from './target.ts';

const pattern =
  /(?<![\p{L}\d_.,/-])[-+]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?(?:\s*(?:%|percent|prozent|(?:k|m|b|thousand|million|billion|tausend|millionen|milliarden)(?!\p{L})))?/giu;

/** Returns the numbers as written, with their percent signs. */
export const numbersInGoal = (goal: string): string[] =>
  [...goal.matchAll(pattern)].map(([text]) => text.trim().replace(/[.,]$/, ''));

const unit = /\s*(?<unit>%|[a-z]+)$/i;
const factors: Readonly<Record<string, number>> = { k: 1e3, t: 1e3, m: 1e6, b: 1e9 };

/**
 * Returns the values that a written number can mean: `95 %` is 95 or 0.95, `5M` is 5 or 5000000,
 * `1.500` is 1.5 or, as in German, 1500.
 */
function meaningsOf(text: string): number[] {
  const digits = text.replace(unit, '');
  const word = unit.exec(text)?.groups?.['unit']?.toLowerCase() ?? '';
  const factor = word === 'milliarden' ? 1e9 : (factors[word.charAt(0)] ?? 1);
  const value = Number(digits.replace(',', '.'));
  const whole = Number(digits.replaceAll(',', ''));
  const german = /^\d{1,3}(?:\.\d{3})+$/.test(digits) ? Number(digits.replaceAll('.', '')) : value;
  return [value, whole, german, value / 100, value * factor, whole * factor].filter(
    Number.isFinite,
  );
}

/** Returns whether the written number may be that of a condition of the target. */
export function isNumberOf({ conditions }: Target, number: string, text: string): boolean {
  const meanings = meaningsOf(number.trim());
  const factors = factorsOf(meanings, text);
  return conditions.some(({ value, isRelative }) =>
    (isRelative ? factors : meanings).some((one) => near(one, value)),
  );
}

/** Returns whether the text has numbers, and each of them is the number of a condition. */
function hasItsNumbers({ conditions }: Target, text: string): boolean {
  const isBound = (number: string): boolean =>
    meaningsOf(number).some((value) => conditions.some((one) => one.value === value));
  const numbers = numbersInGoal(text);
  return numbers.length > 0 && numbers.every(isBound);
}

const near = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));

/** Returns the conditions with numbers that do not occur in the goal. */
export function inventedConditions(goal: string, { conditions }: Target): readonly Condition[] {
  const stated = numbersInGoal(goal).flatMap(meaningsOf);
  return conditions.filter(({ value, isRelative }) =>
    isRelative
      ? !factorsOf(stated, goal).some((factor) => near(factor, value))
      : !stated.some((number) => near(number, value)),
  );
}

const words = /\b(?:hal[fv]|twice|double|hälfte|halbier|doppelt|verdopp)/iu;

/** Returns the factors that a goal may mean by `20 times faster`, `30 % lower`, `halve`. */
const factorsOf = (stated: readonly number[], goal: string): number[] => [
  ...stated.flatMap((number) => [number, 1 / number, 1 - number, 1 + number]),
  ...(words.test(goal) ? [0.5, 2] : []),
];

const relativeWords =
  /%|prozent|percent|baseline|(?<!\p{L})(?:times|fold|faster|lower|higher|schneller|niedriger|höher|hal[fv]\p{L}*|hälfte|halbier\p{L}*|twice|doubl\p{L}*|doppelt|verdopp\p{L}*)(?!\p{L})|\d\s*(?:x|×|-?fach)/iu;

/**
 * Returns whether the target states all that the text demands: its numbers, as factors of the
 * baseline, too, and its seeds.
 */
export function isStatedBy(target: Target, text: string): boolean {
  const rest = text.replace(seedList, ' ').replace(seedNumber, ' ');
  const repeats = repeatsOfTarget(target);
  const { seeds, seedCount } = aggregateOf(text);
  const hasSeeds = seeds?.every((seed) => repeats?.seeds?.includes(seed)) ?? true;
  const hasCount =
    (seedCount ?? 0) <= Math.max(repeats?.seeds?.length ?? 0, repeats?.seedCount ?? 0);
  if (!hasSeeds || !hasCount) return false;
  if (hasItsNumbers(target, rest)) return true;
  const numbers = numbersInGoal(rest);
  if (relativeWords.test(rest)) {
    const relative = target.conditions.filter(({ isRelative }) => isRelative);
    const meant = numbers.length > 0 ? numbers.map(meaningsOf) : [[]];
    return meant.every((values) =>
      factorsOf(values, rest).some((factor) => relative.some(({ value }) => near(factor, value))),
    );
  }
  return rest !== text && numbers.length === 0;
}
