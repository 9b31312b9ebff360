/** Judges whether lower or higher values of a metric are better, and says what this is judged by. */
import { isKnownMetric, isTiming } from '../../metrics/direction.ts';
import { isSameMetric } from '../../metrics/metricName.ts';
import type { Direction, MetricSummary } from '../../metrics/metric.ts';
import type { MeasuredRun, MeasuredRuns } from './measuredRuns.ts';

export interface BetterDirection {
  readonly direction: Direction;
  /** Direction, with what it is judged by if the name alone does not make it sure. */
  readonly text: string;
}

/** Judges by the target, then by the launch, then by the name. */
export function betterDirection(
  { metric, direction }: Pick<MetricSummary, 'metric' | 'direction'>,
  { directions = {} }: Pick<MeasuredRun, 'directions'>,
  objectives: ReturnType<MeasuredRuns['objectives']>,
): BetterDirection {
  const objective = objectives.find((one) => isSameMetric(metric, one.metric));
  if (objective !== undefined)
    return { direction: objective.direction, text: `${objective.direction} (by the target)` };
  const isStated = Object.keys(directions).some(
    (name) => name.toLowerCase() === metric.toLowerCase(),
  );
  if (isStated) return { direction, text: `${direction} (by metric_directions)` };
  return { direction, text: textByName(metric, direction) };
}

function textByName(metric: string, direction: Direction): string {
  if (isKnownMetric(metric) && !isTiming(metric)) return direction;
  return direction === 'none'
    ? 'unknown: the name does not say; state it as metric_directions of a launch'
    : `${direction} (judged by the name alone)`;
}

/** Returns the best value of a run in that direction; `undefined` without a direction. */
export function bestIn(
  { best, min, max, direction: own }: MetricSummary,
  { direction }: BetterDirection,
): number | undefined {
  if (direction === 'none') return undefined;
  if (direction === own) return best;
  return direction === 'lower' ? min : max;
}
