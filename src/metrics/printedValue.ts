/** Shows a value of a metric with the decimals that the script prints: `0.0610`. */
import { formatValue } from '../base/text.ts';
import type { MetricSummary } from './metric.ts';

/** Number of points from which on the decimals of a metric are taken from its values. */
const minPoints = 3;

/**
 * Formats a value of the metric as `formatValue` does, and adds the trailing zeros that a number no
 * longer has. The decimals are those of the longest of the last, least and greatest value; if one of
 * them has more digits than are shown, nothing is added.
 */
export function printedValue(
  value: number,
  { count, last, min, max }: Pick<MetricSummary, 'count' | 'last' | 'min' | 'max'>,
): string {
  const text = formatValue(value);
  const known = [last, min, max].filter((one) => Number.isFinite(one));
  const isWhole = known.every((one) => Number(formatValue(one)) === one);
  if (count < minPoints || !isWhole || !/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  const decimals = Math.max(...known.map((one) => decimalsOf(formatValue(one))));
  return decimals > decimalsOf(text) ? value.toFixed(decimals) : text;
}

/** Returns the number of decimals; 0 for exponential notation, which shows no fixed number. */
const decimalsOf = (text: string): number =>
  text.includes('e') ? 0 : (text.split('.')[1]?.length ?? 0);
