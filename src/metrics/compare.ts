import type { Direction, MetricSummary, SeriesColumns } from './metric.ts';

/** `n/a`: the metric has no direction, or one run lacks the metric. */
type ComparisonVerdict = 'better' | 'worse' | 'same' | 'n/a';

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
  series(name: string): SeriesColumns;
}

/**
 * Compares all metrics that at least one of the runs has. Returns the baseline's metrics first, in
 * their order, then the metrics that only the experiment has.
 */
export function compareRuns(baseline: Measured, experiment: Measured): readonly MetricComparison[] {
  return [...new Set([...baseline.names(), ...experiment.names()])].map((metric) => {
    const before = baseline.summary(metric);
    const after = experiment.summary(metric);
    const direction = after?.direction ?? before?.direction ?? 'none';
    const both = before !== undefined && after !== undefined;
    return {
      metric,
      direction,
      baseline: before,
      experiment: after,
      atEnd: both ? judge(before.last, after.last, direction) : undefined,
      atBest: both ? judge(before.best, after.best, direction) : undefined,
      atEqualStep: both
        ? atEqualStep(baseline.series(metric), experiment.series(metric), direction)
        : undefined,
    };
  });
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

function atEqualStep(
  baseline: SeriesColumns,
  experiment: SeriesColumns,
  direction: Direction,
): EqualPoint | undefined {
  const hasSteps = isAscending(baseline.steps) && isAscending(experiment.steps);
  const position = hasSteps
    ? Math.min(baseline.steps.at(-1) ?? NaN, experiment.steps.at(-1) ?? NaN)
    : Math.min(baseline.values.length, experiment.values.length) - 1;
  const valueIn = ({ steps, values }: SeriesColumns): number | undefined =>
    values[hasSteps ? steps.findLastIndex((step) => step <= position) : position];
  const [before, after] = [valueIn(baseline), valueIn(experiment)];
  if (before === undefined || after === undefined) return undefined;
  return { ...judge(before, after, direction), by: hasSteps ? 'step' : 'index', position };
}

/** Returns whether the steps never decrease. Returns false if any step is unknown (NaN). */
function isAscending(steps: Float64Array): boolean {
  return steps.every(
    (step, index) => step >= (index === 0 ? -Infinity : (steps[index - 1] ?? NaN)),
  );
}
