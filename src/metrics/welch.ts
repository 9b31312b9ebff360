/** Welch's test for the means of two samples whose variances may differ. */

export interface Sample {
  readonly mean: number;
  /** Standard deviation (with n − 1). */
  readonly deviation: number;
  /** Number of values, at least 2. */
  readonly n: number;
}

/**
 * Returns whether the difference of the means is larger than chance makes it in 95 % of the cases
 * in which the true means are equal. Assumes values with a normal distribution.
 */
export function areMeansApart(one: Sample, other: Sample): boolean {
  const [first, second] = [squaredError(one), squaredError(other)];
  const error = Math.sqrt(first + second);
  const freedom = (first + second) ** 2 / (first ** 2 / (one.n - 1) + second ** 2 / (other.n - 1));
  const limit = error === 0 ? 0 : error * quantile(freedom);
  return Math.abs(other.mean - one.mean) > limit;
}

/** Returns the square of the standard error of the mean. */
const squaredError = ({ deviation, n }: Sample): number => deviation ** 2 / n;

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
