import { findMetric } from './metricName.ts';
import type { MetricSpec } from './metric.ts';

/** Returns the metrics that a launch named and that were never read from the output. */
export function unreadMetrics(
  { names = [], patterns }: MetricSpec,
  read: readonly { readonly metric: string }[],
): readonly string[] {
  const wanted = patterns === undefined ? names : Object.keys(patterns);
  const printed = read.map(({ metric }) => metric);
  return wanted.filter((name) => findMetric(name, printed) === undefined);
}
