import type { Direction, MetricSummary, SeriesColumns } from './metric.ts';

/** `n/a`: the metric has no direction, or one run does not have it. */
type ComparisonVerdict = 'better' | 'worse' | 'same' | 'n/a';

/**
 * Differences below this share of the larger value are `same`: rounding, not a result. Noise is not
 * judged here.
 */
const sameWithin = 1e-4;

/** The experiment's value against the baseline's. */
export interface Judgement {
  readonly baseline: number;
  readonly experiment: number;
  /** experiment − baseline. */
  readonly delta: number;
  /** delta / |baseline|; NaN or infinite where the baseline is 0. */
  readonly relativeDelta: number;
  readonly verdict: ComparisonVerdict;
}

interface EqualPoint extends Judgement {
  /**
   * `step`: the last values up to the largest step that both reached. `index`: the points at the
   * same 0-based position.
   */
  readonly by: 'step' | 'index';
  readonly position: number;
}

export interface MetricComparison {
  readonly metric: string;
  readonly direction: Direction;
  readonly baseline: MetricSummary | undefined;
  readonly experiment: MetricSummary | undefined;
  /** The last values; absent, as the others, when one run does not have the metric. */
  readonly atEnd: Judgement | undefined;
  readonly atBest: Judgement | undefined;
  /** Absent also when one run began at a later step than the other reached. */
  readonly atEqualStep: EqualPoint | undefined;
}

/** What is compared of a run; `RunMetrics` has it. */
export interface Measured {
  names(): readonly string[];
  summary(name: string): MetricSummary | undefined;
  series(name: string): SeriesColumns;
}

/** Each metric that either run has, the baseline's first. */
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
 * A value that is not finite in the wrong way (NaN, or Inf where less is better) is worse than any
 * that is.
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

/** False also where a step is not known. */
function isAscending(steps: Float64Array): boolean {
  return steps.every(
    (step, index) => step >= (index === 0 ? -Infinity : (steps[index - 1] ?? NaN)),
  );
}
