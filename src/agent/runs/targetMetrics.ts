/** Adds the metrics of the session's target to the metrics that are read from a run. */
import type { Target } from '../../experiments/target/target.ts';
import { isKnownMetric } from '../../metrics/direction.ts';
import { isUsableName } from '../../metrics/lines/labels.ts';
import { isDetecting } from '../../metrics/lines/metricSpec.ts';
import { isSameMetric } from '../../metrics/metricName.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import { namedMetrics } from '../../metrics/unreadMetrics.ts';

/**
 * Returns the spec of a run, with the metrics of the target that the spec does not include. A
 * launch without named metrics detects known metrics, so these need not be added.
 */
export function withTargetMetrics(spec: MetricSpec, target: Target | undefined): MetricSpec {
  const named = namedMetrics(spec);
  const isRead = (metric: string): boolean =>
    isDetecting(spec) ? isKnownMetric(metric) : named.some((one) => isSameMetric(one, metric));
  const wanted = (target?.conditions ?? []).map(({ metric }) => metric.trim());
  const also = [...new Set(wanted)].filter((metric) => isUsableName(metric) && !isRead(metric));
  return also.length === 0 ? spec : { ...spec, also };
}
