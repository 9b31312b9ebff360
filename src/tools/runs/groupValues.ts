/**
 * Computes mean and deviation of a metric over a group of runs (of an experiment, a sweep or a
 * list), and compares two groups.
 */
import { formatSpread, formatValue } from '../../base/text.ts';
import { findMetric } from '../../metrics/metricName.ts';
import type { Direction, MetricSummary } from '../../metrics/metric.ts';
import { areMeansApart, type Sample } from '../../metrics/welch.ts';
import { jsonValue, type MeasuredRun } from './measuredRuns.ts';

/** The last values of a metric in the runs of a group. Runs without a value are omitted. */
export interface GroupValues {
  readonly metric: string;
  readonly direction: Direction;
  readonly mean: number;
  /** Standard deviation (with n − 1); omitted for a single run. */
  readonly deviation?: number;
  readonly runs: readonly { readonly name: string; readonly last: number }[];
}

/** Returns the values of a group; `undefined` if no run has a finite last value of the metric. */
export function groupValues(runs: readonly MeasuredRun[], metric: string): GroupValues | undefined {
  const found = runs.flatMap((run) => {
    const summary = summaryOf(run, metric);
    return summary !== undefined && Number.isFinite(summary.last) ? [{ run, summary }] : [];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const values = found.map(({ summary }) => summary.last);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    metric: first.summary.metric,
    direction: first.summary.direction,
    mean,
    ...(values.length > 1 && { deviation: Math.sqrt(squares / (values.length - 1)) }),
    runs: found.map(({ run, summary }) => ({ name: run.name, last: summary.last })),
  };
}

function summaryOf(run: MeasuredRun, metric: string): MetricSummary | undefined {
  const name = findMetric(metric, run.metrics.names());
  return name === undefined ? undefined : run.metrics.summary(name);
}

/** Returns the metrics of the runs. A metric that runs spell differently is returned once. */
export function distinctMetrics(runs: readonly MeasuredRun[]): readonly string[] {
  const names = new Set(runs.flatMap(({ metrics }) => metrics.names()));
  const spellings = (metric: string): string =>
    JSON.stringify(runs.map(({ metrics }) => findMetric(metric, metrics.names()) ?? null));
  const first = new Map([...names].reverse().map((name) => [spellings(name), name]));
  return [...names].filter((name) => first.get(spellings(name)) === name);
}

/** Formats a group: `0.9938 ± 0.0028 (3 runs)`. */
export const groupText = ({ mean, deviation, runs }: GroupValues): string =>
  deviation === undefined
    ? formatValue(mean)
    : `${formatValue(mean)} ± ${formatSpread(deviation)} (${runs.length} runs)`;

export const groupJson = ({ mean, deviation, runs }: GroupValues): Record<string, unknown> => ({
  mean: jsonValue(mean),
  ...(deviation !== undefined && { standard_deviation: jsonValue(deviation) }),
  n: runs.length,
  runs: Object.fromEntries(runs.map(({ name, last }) => [name, jsonValue(last)])),
});

/** Number of repeats below which only a large difference can be distinguished from noise. */
const fewRepeats = 4;

/**
 * Returns how the experiment compares with the baseline: `better` or `worse`, and one of these
 * remarks unless the difference of the means is larger than the noise of the repeats.
 * - `within noise`: the difference is not larger than the noise
 * - `but n = 3 cannot tell`: the same, but so few repeats show only large differences
 * - `noise unknown`: one of the groups has no repeats
 */
export function groupVerdict(baseline: GroupValues, experiment: GroupValues): string {
  const delta = experiment.mean - baseline.mean;
  if (baseline.direction === 'none') return 'n/a';
  if (delta === 0) return 'same';
  const word = delta < 0 === (baseline.direction === 'lower') ? 'better' : 'worse';
  const [one, other] = [sampleOf(baseline), sampleOf(experiment)];
  if (one === undefined || other === undefined) return `${word}, noise unknown`;
  if (areMeansApart(one, other)) return word;
  const n = Math.min(one.n, other.n);
  return n < fewRepeats ? `${word}, but n = ${n} cannot tell` : `${word}, within noise`;
}

const sampleOf = ({ mean, deviation, runs }: GroupValues): Sample | undefined =>
  deviation === undefined ? undefined : { mean, deviation, n: runs.length };
