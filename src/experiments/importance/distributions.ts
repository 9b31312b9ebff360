/** Distribution functions of the normal, chi-squared and F distributions. */

const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** Returns the logarithm of the gamma function of a number above 0. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x - 1 + 7.5;
  const sum = lanczos.reduce(
    (total, factor, index) => total + factor / (x + index),
    0.9999999999998099,
  );
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const tiny = 1e-300;
const enough = 1e-12;
const maxTerms = 1000;

/** Returns the probability that a gamma variable of this shape, which may be any, is below `x`. */
export function gammaBelow(shape: number, x: number): number {
  if (x <= 0) return 0;
  const front = Math.exp(shape * Math.log(x) - x - logGamma(shape));
  return x < shape + 1 ? front * seriesOf(shape, x) : 1 - front * fractionOf(shape, x);
}

function seriesOf(shape: number, x: number): number {
  let term = 1 / shape;
  let sum = term;
  for (let n = 1; n < maxTerms && term > sum * enough; n += 1) {
    term *= x / (shape + n);
    sum += term;
  }
  return sum;
}

/** Evaluates the continued fraction of the incomplete gamma function by the method of Lentz. */
function fractionOf(shape: number, x: number): number {
  let b = x + 1 - shape;
  let c = 1 / tiny;
  let d = 1 / b;
  let result = d;
  for (let n = 1; n < maxTerms; n += 1) {
    const a = -n * (n - shape);
    b += 2;
    d = 1 / (a * d + b || tiny);
    c = b + a / c || tiny;
    result *= d * c;
    if (Math.abs(d * c - 1) < enough) break;
  }
  return result;
}

/**
 * Transforms a value of F with these degrees of freedom to about a standard normal value (Wilson
 * and Hilferty, Paulson). Larger F, larger value.
 */
export function normalOfF(f: number, above: number, below: number): number {
  const [a, b] = [2 / (9 * above), 2 / (9 * below)];
  const root = Math.cbrt(f);
  return ((1 - b) * root - (1 - a)) / Math.sqrt(b * root * root + a);
}
