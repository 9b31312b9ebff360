/** Finds repeats whose seeds change nothing: runs that printed the same values with other seeds. */
import { isTiming } from '../metrics/direction.ts';
import type { MetricSummary } from '../metrics/metric.ts';
import { runNames } from '../runs/run.ts';
import type { ExperimentRow, LedgerEntry } from './ledger.ts';
import { repeatsOf } from './repeats.ts';
import { seedOf } from './seeds.ts';

/**
 * Returns whether the repeats printed the same values, with at least two seeds. Values that may be
 * equal by chance, such as a single number, prove nothing.
 */
export function isSeedIdle(repeats: readonly LedgerEntry[]): boolean {
  const seeds = new Set(repeats.map(seedOf));
  if (seeds.size < 2 || seeds.has(undefined)) return false;
  const [first = [], ...others] = repeats.map(({ metrics }) => metrics);
  // Almost all seeds differ in their first value, so nothing is collected before.
  const isSame = first.every(
    (summary) => !isResult(summary) || others.every((metrics) => hasSame(metrics, summary)),
  );
  if (!isSame) return false;
  const results = first.filter(isResult);
  if (others.some((metrics) => metrics.filter(isResult).length !== results.length)) return false;
  const values = new Set(results.flatMap(({ last, min, max, mean }) => [last, min, max, mean]));
  // An accuracy of 0 or 1 is no value that shows a seed.
  values.delete(0);
  values.delete(1);
  return values.size >= 2;
}

const isResult = ({ metric, direction }: MetricSummary): boolean =>
  direction !== 'none' && !isTiming(metric);

const hasSame = (metrics: readonly MetricSummary[], one: MetricSummary): boolean =>
  metrics.some(
    (other) =>
      other.metric === one.metric && fields.every((field) => isEqual(one[field], other[field])),
  );

const fields = ['count', 'last', 'min', 'max', 'mean'] as const;

const isEqual = (one: number, other: number): boolean =>
  one === other || (!Number.isFinite(one) && !Number.isFinite(other));

/** Returns the runs of each setting that ended successfully and whose seeds change nothing. */
export const idleSeedGroups = (
  experiments: readonly Pick<ExperimentRow, 'runs'>[],
): readonly ExperimentRow['runs'][] =>
  experiments
    .map(({ runs }) => runs.filter(({ verdict }) => verdict?.kind === 'ok'))
    .flatMap((runs) => repeatsOf(runs))
    .filter(isSeedIdle);

/** Returns a sentence for each setting whose seeds change nothing. */
export const idleSeedTexts = (experiments: readonly Pick<ExperimentRow, 'runs'>[]): string[] =>
  idleSeedGroups(experiments).map(idleSeedText);

export function idleSeedText(runs: ExperimentRow['runs']): string {
  const names = runNames(runs.map(({ number }) => number));
  return `${names.charAt(0).toUpperCase()}${names.slice(1)} printed the same values: the seed changes nothing.`;
}
