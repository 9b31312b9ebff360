import type { Direction, MetricSummary } from './metric.ts';
import { isSameMetric } from './metricName.ts';
import type { Place } from './series/valueAt.ts';

/**
 * `n/a`: the metric has no direction, or one run lacks the metric. `within the noise`: repeats of the
 * runs differ as much.
 */
export type ComparisonVerdict = 'better' | 'worse' | 'same' | 'within the noise' | 'n/a';

/**
 * Largest relative difference that is treated as rounding, so that the verdict is `same`. Noise
 * between runs is not considered.
 */
const sameWithin = 1e-4;

/** Comparison of a value of the experiment with the same value of the baseline. */
export interface Judgement {
  readonly baseline: number;
  readonly experiment: number;
  /** experiment − baseline. */
  readonly delta: number;
  /** delta / |baseline|; NaN or infinite if the baseline is 0. */
  readonly relativeDelta: number;
  readonly verdict: ComparisonVerdict;
}

interface EqualPoint extends Judgement {
  /**
   * Choice of the compared points. `step`: in each run, the last point up to the largest step that
   * both runs reached. `index`: the points at the same 0-based index.
   */
  readonly by: 'step' | 'index';
  /** The step or index up to which both runs have points. */
  readonly position: number;
}

export interface MetricComparison {
  readonly metric: string;
  readonly direction: Direction;
  readonly baseline: MetricSummary | undefined;
  readonly experiment: MetricSummary | undefined;
  /** Comparison of the last values; `undefined` if one run lacks the metric. */
  readonly atEnd: Judgement | undefined;
  /** Comparison of the best values; `undefined` if one run lacks the metric. */
  readonly atBest: Judgement | undefined;
  /**
   * Comparison at an equal step; `undefined` if one run lacks the metric, or began at a later step
   * than the other reached.
   */
  readonly atEqualStep: EqualPoint | undefined;
}

/** Metrics of a run, as implemented by `RunMetrics`. */
export interface Measured {
  names(): readonly string[];
  summary(name: string): MetricSummary | undefined;
  /** Whether every point of the metric has a step, and the steps never decrease. */
  hasAscendingSteps(name: string): boolean;
  /** Reads the value at a step or index of a metric; `undefined` if there is no such point. */
  valueAt(name: string, place: Place): Promise<number | undefined>;
}

/**
 * Compares all metrics that at least one of the runs has; a metric may be spelled differently in the
 * two runs. Returns the baseline's metrics first, in their order, then the metrics that only the
 * experiment has. `judged`: how a metric is judged; default: by its own direction. Rejects with an
 * error of the system if the points of a very long series cannot be read from the disk.
 */
export async function compareRuns(
  baseline: Measured,
  experiment: Measured,
  judged: (summary: MetricSummary) => JudgedBy = ownDirection,
): Promise<readonly MetricComparison[]> {
  const comparisons: MetricComparison[] = [];
  const rest = new Set(experiment.names());
  for (const metric of baseline.names()) {
    const other = rest.has(metric)
      ? metric
      : [...rest].find((name) => isSameMetric(name, metric) && !baseline.names().includes(name));
    rest.delete(other ?? '');
    comparisons.push(
      await compareMetric([metric, other ?? metric], { baseline, experiment, judged }),
    );
  }
  for (const metric of rest)
    comparisons.push(await compareMetric([metric, metric], { baseline, experiment, judged }));
  return comparisons;
}

/** The better direction of a metric, and the best value of a run in it. */
export interface JudgedBy {
  readonly direction: Direction;
  readonly best: number;
}

const ownDirection = ({ direction, best }: MetricSummary): JudgedBy => ({ direction, best });

interface Compared {
  readonly baseline: Measured;
  readonly experiment: Measured;
  readonly judged: (summary: MetricSummary) => JudgedBy;
}

/** Compares a metric. `names`: its names in the two runs. */
async function compareMetric(
  [metric, other]: readonly [string, string],
  { baseline, experiment, judged }: Compared,
): Promise<MetricComparison> {
  const before = baseline.summary(metric);
  const after = experiment.summary(other);
  const [first, second] = [before && judged(before), after && judged(after)];
  const direction = second?.direction ?? first?.direction ?? 'none';
  const runs = { metric, direction, baseline: before, experiment: after };
  if (before === undefined || after === undefined)
    return { ...runs, atEnd: undefined, atBest: undefined, atEqualStep: undefined };
  const pair = {
    baseline: { run: baseline, summary: before },
    experiment: { run: experiment, summary: after },
  };
  return {
    ...runs,
    atEnd: judge(before.last, after.last, direction),
    atBest: judge(first?.best ?? before.best, second?.best ?? after.best, direction),
    atEqualStep: await atEqualStep(pair, direction),
  };
}

/**
 * Compares two values. NaN is worse than any finite value, and so is an infinite value in the wrong
 * direction (+Inf if lower is better, -Inf if higher is better).
 */
export function judge(baseline: number, experiment: number, direction: Direction): Judgement {
  const delta = experiment - baseline;
  const relativeDelta = delta / Math.abs(baseline);
  return {
    baseline,
    experiment,
    delta,
    relativeDelta,
    verdict: verdictOf(baseline, experiment, direction),
  };
}

function verdictOf(baseline: number, experiment: number, direction: Direction): ComparisonVerdict {
  if (direction === 'none') return 'n/a';
  const [before, after] = [goodness(baseline, direction), goodness(experiment, direction)];
  if (before === after) return 'same';
  const size = Math.max(Math.abs(before), Math.abs(after));
  if (size < Infinity && Math.abs(after - before) <= sameWithin * size) return 'same';
  return after > before ? 'better' : 'worse';
}

function goodness(value: number, direction: 'lower' | 'higher'): number {
  if (Number.isNaN(value)) return -Infinity;
  return direction === 'lower' ? -value : value;
}

interface Side {
  readonly run: Measured;
  readonly summary: MetricSummary;
}

async function atEqualStep(
  pair: { readonly baseline: Side; readonly experiment: Side },
  direction: Direction,
): Promise<EqualPoint | undefined> {
  const sides = [pair.baseline, pair.experiment];
  const hasSteps = sides.every(({ run, summary }) => run.hasAscendingSteps(summary.metric));
  const position = Math.min(
    ...sides.map(({ summary }) => (hasSteps ? summary.lastStep : summary.count - 1)),
  );
  const by = hasSteps ? 'step' : 'index';
  const valueOf = ({ run, summary }: Side): Promise<number | undefined> =>
    run.valueAt(summary.metric, { by, position });
  const [before, after] = [await valueOf(pair.baseline), await valueOf(pair.experiment)];
  if (before === undefined || after === undefined) return undefined;
  return { ...judge(before, after, direction), by, position };
}
