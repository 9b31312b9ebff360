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
  const [first = [], ...others] = repeats.map(({ metrics }) => metrics.filter(isResult));
  const values = new Set(first.flatMap(({ last, min, max, mean }) => [last, min, max, mean]));
  // An accuracy of 0 or 1 is no value that shows a seed.
  values.delete(0);
  values.delete(1);
  if (values.size < 2) return false;
  const text = textOf(first);
  return others.every((metrics) => textOf(metrics) === text);
}

const isResult = ({ metric, direction }: MetricSummary): boolean =>
  direction !== 'none' && !isTiming(metric);

const textOf = (metrics: readonly MetricSummary[]): string =>
  JSON.stringify(
    metrics
      .map(({ metric, count, last, min, max, mean }) => [metric, count, last, min, max, mean])
      .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );

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
