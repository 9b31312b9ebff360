/** Decides whether two means differ by more than noise. Nothing else may decide it. */

/** A mean over repeats, or a single value. */
export interface Sample {
  readonly mean: number;
  /** Standard deviation (with n − 1); omitted if `n` is 1. */
  readonly spread?: number | undefined;
  readonly n: number;
}

/**
 * - `beyond`: the difference is larger than chance makes it in 95 % of the cases in which the true
 *   means are equal
 * - `within`: it is not
 * - `unknown`: neither sample has repeats
 */
export type Noise = 'beyond' | 'within' | 'unknown';

/**
 * Compares two means by the test of Welch, which allows unequal variances and assumes values with a
 * normal distribution. A single value is assumed to vary as the repeats of the other sample.
 */
export function noiseOf(one: Sample, other: Sample): Noise {
  const { spread: first = other.spread } = one;
  const { spread: second = one.spread } = other;
  if (first === undefined || second === undefined) return 'unknown';
  const errors = [first ** 2 / one.n, second ** 2 / other.n] as const;
  const error = errors[0] + errors[1];
  const limit = error === 0 ? 0 : Math.sqrt(error) * quantile(freedomOf(one, other, errors));
  return Math.abs(other.mean - one.mean) > limit ? 'beyond' : 'within';
}

/** Returns the degrees of freedom. `errors`: the squared standard errors of the means. */
function freedomOf(one: Sample, other: Sample, [first, second]: readonly [number, number]): number {
  if (one.spread === undefined) return other.n - 1;
  if (other.spread === undefined) return one.n - 1;
  return (first + second) ** 2 / (first ** 2 / (one.n - 1) + second ** 2 / (other.n - 1));
}

/** 97.5 % quantile of Student's t distribution with 1, 2, 3 … degrees of freedom. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

/** Rounds the degrees of freedom down, so that the quantile is never too small. */
function quantile(freedom: number): number {
  // Equal variances give a whole number, which rounding errors may make slightly smaller.
  const whole = Math.max(1, Math.floor(freedom + 1e-9));
  return quantiles[whole - 1] ?? 1.96 + 2.5 / whole;
}
