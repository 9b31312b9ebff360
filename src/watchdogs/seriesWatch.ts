/** The watchdogs of one metric of one run. */
import { directionOf } from '../metrics/direction.ts';
import type { MetricSpec } from '../metrics/metric.ts';
import { DivergenceWatch, type Course } from './divergence.ts';
import { roleOf, type MetricRole } from './metricRole.ts';
import { NonFiniteWatch } from './nonFinite.ts';
import type { WatchdogPolicy } from './settings.ts';

export interface SeriesWatch {
  readonly isSpeed: boolean;
  readonly nonFinite: NonFiniteWatch;
  /** Undefined for a metric that has no direction, or that is not checked for divergence. */
  readonly divergence?: DivergenceWatch;
}

export interface SeriesFacts {
  readonly policy: WatchdogPolicy;
  readonly directions: MetricSpec['directions'];
  /** Returns whether the metric decides which run is best. */
  isDecisive(metric: string): boolean;
}

export function seriesWatch(
  metric: string,
  { policy, directions, isDecisive }: SeriesFacts,
): SeriesWatch {
  const role = roleOf(metric);
  const isDeciding = isDecisive(metric);
  const serious = policy.non_finite.metrics;
  const judged = policy.divergence.metrics;
  const isNamed = serious !== undefined && isAmong(serious, metric);
  const counts = serious === undefined ? isDeciding || role.isLoss : isNamed;
  const isJudged = judged === undefined ? isDeciding || role.isSteadyLoss : isAmong(judged, metric);
  const direction = directionOf(metric, directions);
  return {
    isSpeed: role.isSpeed,
    nonFinite: new NonFiniteWatch({ ...role, counts, isNamed }),
    ...(isJudged &&
      direction !== 'none' && {
        divergence: new DivergenceWatch({ direction, course: courseOf(role) }, policy.divergence),
      }),
  };
}

const courseOf = ({ isSteadyLoss, isDerived }: MetricRole): Course =>
  isSteadyLoss && !isDerived ? 'steady' : 'drifting';

const isAmong = (names: readonly string[], metric: string): boolean =>
  names.some((name) => name.toLowerCase() === metric.toLowerCase());
