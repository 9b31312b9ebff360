/**
 * Tells whether what was measured of new code is worse than of old code, or only another throw of
 * the dice.
 */
import { median, type Figure } from './figure.ts';

/** - `moved`: of a figure of which more is neither better nor worse */
export type Verdict = 'better' | 'worse' | 'moved' | 'same';

export interface Comparison {
  readonly verdict: Verdict;
  readonly oldMedian: number;
  readonly newMedian: number;
  /** The distance from the least to the most of the rounds, of the one that varies more. */
  readonly spread: number;
}

/** A smaller difference is none, however little the rounds differ. */
const minShare = 0.1;

/**
 * Compares the rounds of one figure, which has the name, unit and aim of `figure`. None may be
 * empty.
 */
export function compare(
  figure: Pick<Figure, 'unit' | 'aim'>,
  oldValues: readonly number[],
  newValues: readonly number[],
): Comparison {
  const [oldMedian, newMedian] = [median(oldValues), median(newValues)];
  const spread = Math.max(width(oldValues), width(newValues));
  const difference = Math.abs(newMedian - oldMedian);
  const isSame = difference <= spread || difference <= minShare * Math.abs(oldMedian);
  return {
    verdict: isSame ? 'same' : direction(figure, oldMedian, newMedian),
    oldMedian,
    newMedian,
    spread,
  };
}

const width = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

function direction(
  { unit, aim }: Pick<Figure, 'unit' | 'aim'>,
  oldMedian: number,
  newMedian: number,
): Verdict {
  if (aim !== undefined && 'exactly' in aim) {
    const isFarther = Math.abs(newMedian - aim.exactly) > Math.abs(oldMedian - aim.exactly);
    return isFarther ? 'worse' : 'better';
  }
  const isMoreBetter = aim === undefined ? moreIsBetter[unit] : 'atLeast' in aim;
  if (isMoreBetter === undefined) return 'moved';
  return newMedian > oldMedian === isMoreBetter ? 'better' : 'worse';
}

const moreIsBetter: Readonly<Record<Figure['unit'], boolean | undefined>> = {
  ms: false,
  ns: false,
  'MB/s': true,
  'points/s': true,
  MB: false,
  bytes: false,
  tokens: false,
  USD: false,
  '%': false,
  count: undefined,
  '×': undefined,
};
