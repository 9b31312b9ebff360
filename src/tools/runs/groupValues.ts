/**
 * Computes mean and spread of a metric over a group of runs (of an experiment, a sweep or a
 * list), and compares two groups.
 */
import { formatSpread, formatValue } from '../../base/text.ts';
import type { Repeat } from '../../experiments/repeats.ts';
import { mean, statisticsOver, type SeedValue, type Statistics } from '../../experiments/seeds.ts';
import { findMetric } from '../../metrics/metricName.ts';
import type { Direction, MetricSummary } from '../../metrics/metric.ts';
import { noiseOf } from '../../metrics/noise.ts';
import { jsonValue, type MeasuredRun, type MeasuredRuns } from './measuredRuns.ts';

type Repeats = ReturnType<MeasuredRuns['repeats']>;

/** The last values of a metric in the runs of a group. Runs without a value are omitted. */
export interface GroupValues extends Statistics {
  readonly metric: string;
  readonly direction: Direction;
  readonly runs: readonly GroupValue[];
}

interface GroupValue extends SeedValue {
  readonly name: string;
  /** The setting and seed of the run; omitted if it has no seed. */
  readonly repeat?: Repeat | undefined;
}

/** Returns the values of a group; `undefined` if no run has a finite last value of the metric. */
export function groupValues(
  runs: readonly MeasuredRun[],
  metric: string,
  repeats: Repeats,
): GroupValues | undefined {
  const found = runs.flatMap((run) => {
    const summary = summaryOf(run, metric);
    return summary !== undefined && Number.isFinite(summary.last) ? [{ run, summary }] : [];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const values = found.map(({ run: { id, name }, summary }): GroupValue => {
    const repeat = repeats.get(id);
    // Runs with the same seed are repeats only if they have the same setting.
    const seed = repeat && `${repeat.setting} ${repeat.seed}`;
    return { name, value: summary.last, repeat, seed };
  });
  return {
    metric: first.summary.metric,
    direction: first.summary.direction,
    ...statisticsOver(values),
    runs: values,
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

/** Formats a group: `0.9938 ± 0.0028 (3 runs)`, `0.9938 ± 0.0028 (3 seeds, 4 runs)`. */
export const groupText = ({ mean, spread, n, runs }: GroupValues): string =>
  spread === undefined
    ? formatValue(mean)
    : `${formatValue(mean)} ± ${formatSpread(spread)} (${n === runs.length ? '' : `${n} seeds, `}${runs.length} runs)`;

export const groupJson = ({ mean, spread, n, runs }: GroupValues): Record<string, unknown> => ({
  mean: jsonValue(mean),
  ...(spread !== undefined && { standard_deviation: jsonValue(spread) }),
  n,
  runs: Object.fromEntries(runs.map(({ name, value }) => [name, jsonValue(value)])),
});

/** Number of repeats below which only a large difference can be distinguished from noise. */
const fewRepeats = 4;

/**
 * Returns how the experiment compares with the baseline, and in how many of the same seeds it is
 * lower or higher: `better; lower in 3 of 3 seeds`.
 * - `better`, `worse`: the difference of the means is larger than the noise of the repeats
 * - `better, noise unknown`: neither group has repeats
 * - `no difference beyond the noise`: the difference is not larger than the noise
 * - `no difference that n = 3 can tell`: the same, but so few repeats show only large differences
 */
export function groupVerdict(baseline: GroupValues, experiment: GroupValues): string {
  const delta = experiment.mean - baseline.mean;
  if (baseline.direction === 'none') return 'n/a';
  if (delta === 0) return 'same';
  const pairs = pairsText(baseline, experiment);
  return `${meansVerdict(baseline, experiment)}${pairs === '' ? '' : `; ${pairs}`}`;
}

function meansVerdict(baseline: GroupValues, experiment: GroupValues): string {
  const isLower = experiment.mean < baseline.mean;
  const word = isLower === (baseline.direction === 'lower') ? 'better' : 'worse';
  const noise = noiseOf(baseline, experiment);
  if (noise === 'unknown') return `${word}, noise unknown`;
  if (noise === 'beyond') return word;
  const n = Math.min(baseline.n, experiment.n);
  return n < fewRepeats ? `no difference that n = ${n} can tell` : 'no difference beyond the noise';
}

/** Formats how many of the seeds that both groups have differ as the means do; empty if few. */
function pairsText(baseline: GroupValues, experiment: GroupValues): string {
  const [before, after] = [bySeed(baseline), bySeed(experiment)];
  const deltas = [...after].flatMap(([seed, value]) => {
    const other = before.get(seed);
    return other === undefined ? [] : value - other;
  });
  if (deltas.length < 2) return '';
  const sign = Math.sign(experiment.mean - baseline.mean);
  const count = deltas.filter((delta) => Math.sign(delta) === sign).length;
  return `${sign < 0 ? 'lower' : 'higher'} in ${count} of ${deltas.length} seeds`;
}

/** Returns the mean of each seed; empty if the runs have several settings. */
function bySeed({ runs }: GroupValues): ReadonlyMap<string, number> {
  const repeats = runs.flatMap(({ repeat, value }) => (repeat ? { ...repeat, value } : []));
  if (new Set(repeats.map(({ setting }) => setting)).size !== 1) return new Map();
  return new Map(
    [...Map.groupBy(repeats, ({ seed }) => seed)].map(([seed, all]) => [
      seed,
      mean(all.map(({ value }) => value)),
    ]),
  );
}
