/** Values of runs that are compared as groups: experiments, sweeps and lists of runs. */
import { formatSpread, formatValue } from '../../base/text.ts';
import { findMetric } from '../../metrics/metricName.ts';
import type { Direction, MetricSummary } from '../../metrics/metric.ts';
import { jsonValue, type MeasuredRun } from './measuredRuns.ts';

/** The last values of one metric over the runs that have one. */
export interface GroupValues {
  readonly metric: string;
  readonly direction: Direction;
  readonly mean: number;
  /** Standard deviation (with n − 1); omitted for a single run. */
  readonly deviation?: number;
  readonly runs: readonly { readonly name: string; readonly last: number }[];
}

/** Returns `undefined` if no run has a finite last value of the metric. */
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

/** Two standard errors of a difference of means: about 95 % of pure noise is smaller. */
const noiseErrors = 2;

/**
 * - `better`, `worse`: the difference of the means is larger than the noise of the repeats
 * - `within noise`: it is not
 * - `unknown noise`: better or worse, but a side has no repeats
 */
export function groupVerdict(baseline: GroupValues, experiment: GroupValues): string {
  const delta = experiment.mean - baseline.mean;
  if (baseline.direction === 'none') return 'n/a';
  if (delta === 0) return 'same';
  const word = delta < 0 === (baseline.direction === 'lower') ? 'better' : 'worse';
  const [one, other] = [errorOf(baseline), errorOf(experiment)];
  if (one === undefined || other === undefined) return `${word}, noise unknown`;
  return Math.abs(delta) > noiseErrors * Math.hypot(one, other) ? word : `${word}, within noise`;
}

/** Returns the standard error of the mean. */
const errorOf = ({ deviation, runs }: GroupValues): number | undefined =>
  deviation === undefined ? undefined : deviation / Math.sqrt(runs.length);
