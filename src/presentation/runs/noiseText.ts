/** The difference of two groups of repeats in a metric, and whether it is more than noise. */
import { counted, formatValue } from '../../base/text.ts';
import type { Statistics } from '../../experiments/seeds.ts';
import type { Direction, MetricSummary } from '../../metrics/metric.ts';
import { noiseOf } from '../../metrics/noise.ts';
import { groupStatistics, pooledSpread, statisticsText, type RunGroup } from './runGroups.ts';

export interface GroupDifference {
  readonly baseline: Statistics;
  readonly experiment: Statistics;
  /** `−0.04 (−2.1 σ): better, beyond noise`. */
  readonly text: string;
}

const lastOf = ({ last }: MetricSummary): number => last;

/**
 * Compares the means of the last values. σ is the standard deviation within the groups, pooled.
 * Returns `undefined` if a group has no finite value.
 */
export function groupDifference(
  [before, after]: readonly [RunGroup, RunGroup],
  metric: string,
  direction: Direction,
): GroupDifference | undefined {
  const baseline = groupStatistics(before, metric, lastOf);
  const experiment = groupStatistics(after, metric, lastOf);
  if (baseline === undefined || experiment === undefined) return undefined;
  const delta = experiment.mean - baseline.mean;
  const sigma = pooledSpread([baseline, experiment]);
  const inSigma = sigma !== undefined && sigma > 0 ? ` (${signed(delta / sigma, 2)} σ)` : '';
  const verdict = verdictOf(baseline, experiment, direction);
  return { baseline, experiment, text: `${signed(delta, 3)}${inSigma}: ${verdict}` };
}

function verdictOf(baseline: Statistics, experiment: Statistics, direction: Direction): string {
  if (baseline.mean === experiment.mean) return 'same';
  const noise = noiseOf(baseline, experiment);
  if (noise === 'within') return 'within noise';
  const isLower = experiment.mean < baseline.mean;
  const word =
    direction === 'none' ? 'differs' : isLower === (direction === 'lower') ? 'better' : 'worse';
  return noise === 'beyond' ? `${word}, beyond noise` : `${word}, noise unknown without repeats`;
}

function signed(value: number, digits: number): string {
  const text = formatValue(Number(Math.abs(value).toPrecision(digits)));
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** Formats mean, standard deviation and number of repeats: `0.83 ± 0.02 (3 repeats)`. */
export const repeatsText = (statistics: Statistics): string =>
  statistics.n > 1
    ? `${statisticsText(statistics)} (${counted(statistics.n, 'repeat')})`
    : statisticsText(statistics);
