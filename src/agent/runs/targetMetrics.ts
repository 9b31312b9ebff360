/** Adds the metrics of the session's target to the metrics that are read from a run. */
import type { Target } from '../../experiments/target/target.ts';
import { countedEpochs, type TrainingLimit } from '../../experiments/target/trainingLimits.ts';
import { isKnownMetric } from '../../metrics/direction.ts';
import { isUsableName } from '../../metrics/lines/labels.ts';
import { isDetecting } from '../../metrics/lines/metricSpec.ts';
import { isSameMetric } from '../../metrics/metricName.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import { namedMetrics } from '../../metrics/unreadMetrics.ts';

/**
 * Returns the spec of a run, with the patterns that `earlier` runs last got for metrics of the target
 * and that the launch does not name itself.
 */
export function withKnownPatterns(
  spec: MetricSpec,
  target: Target | undefined,
  earlier: readonly MetricSpec[],
): MetricSpec {
  if (target === undefined || spec.from !== undefined) return spec;
  const named = namedMetrics(spec);
  const wanted = [target.objective, ...target.conditions].map(({ metric }) => metric);
  const known = earlier.flatMap(({ patterns = {} }) => Object.entries(patterns));
  const patterns = known.filter(
    ([name]) =>
      wanted.some((metric) => isSameMetric(name, metric)) &&
      !named.some((one) => isSameMetric(one, name)),
  );
  return patterns.length === 0
    ? spec
    : { ...spec, patterns: { ...spec.patterns, ...Object.fromEntries(patterns) } };
}

/**
 * Returns the spec of a run, with the metrics of the target that it does not read with a pattern. A
 * metric that the launch named keeps the name of the launch. Known metrics that the launch named, or
 * that are detected because it named none, need not be added.
 */
export function withTargetMetrics(spec: MetricSpec, target: Target | undefined): MetricSpec {
  const named = namedMetrics(spec);
  const isRead = (metric: string): boolean =>
    Object.hasOwn(spec.patterns ?? {}, metric) ||
    (isKnownMetric(metric) && (isDetecting(spec) || named.includes(metric)));
  const ranking = target?.conditions.length === 0 ? [target.objective] : [];
  const wanted = [...ranking, ...(target?.conditions ?? [])].map(
    ({ metric }) => named.find((one) => isSameMetric(one, metric)) ?? metric.trim(),
  );
  const also = [...new Set(wanted)].filter((metric) => isUsableName(metric) && !isRead(metric));
  const { also: before = [] } = spec;
  return also.every((metric) => before.includes(metric))
    ? spec
    : { ...spec, also: [...new Set([...before, ...also])] };
}

/** Returns the spec of a run, with the counter of epochs if the goal limits them. */
export function withCountedEpochs(spec: MetricSpec, limits: readonly TrainingLimit[]): MetricSpec {
  const isLimited = limits.some(({ unit }) => unit === 'epochs');
  if (!isLimited || spec.from !== undefined || namedMetrics(spec).includes(countedEpochs))
    return spec;
  return { ...spec, also: [...new Set([...(spec.also ?? []), countedEpochs])] };
}
