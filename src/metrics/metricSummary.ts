import type { Direction, MetricPoint, MetricSummary } from './metric.ts';
import type { Series } from './series/series.ts';

/** Returns the statistics of all points of a metric. */
export function summaryOf(metric: string, { tally }: Series, direction: Direction): MetricSummary {
  const { count, last, lastStep, min, max, mean, firstNonFinite } = tally;
  const best = direction === 'none' ? last : direction === 'lower' ? min : max;
  const bounds = { metric, count, last, lastStep, min, max, mean, best, direction };
  return firstNonFinite === undefined ? bounds : { ...bounds, firstNonFinite };
}

/** Returns the first point of a metric; NaN if it has none. */
export function firstOf(metric: string, series: Series): MetricPoint {
  const { steps, timesMs, values } = series.columns();
  return { metric, step: steps[0] ?? NaN, timeMs: timesMs[0] ?? NaN, value: values[0] ?? NaN };
}
