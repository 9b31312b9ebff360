/** Columns of the results for metrics that were evaluated beside the one that ranks the runs. */
import type { LedgerRow } from '../experiments/ledger.ts';
import { measuredRows } from '../experiments/ledgerExperiments.ts';
import type { MeasuredRow } from '../experiments/repeatStatistics.ts';
import { directionOf, isTiming } from '../metrics/direction.ts';
import { isSameMetric, metricName, splitRank } from '../metrics/metricName.ts';
import type { MetricColumn } from './conditionColumns.ts';

const maxColumns = 3;

/**
 * Returns a column with the last value of each metric on validation or test data, such as
 * `test acc`, without the metrics in `shown`; at most three. Metrics like the first of `shown` come
 * first.
 */
export function evaluationColumns(
  runs: readonly LedgerRow[],
  shown: readonly string[],
): readonly MetricColumn[] {
  const printed = new Set(runs.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)));
  const [first = ''] = shown;
  const { core } = metricName(first);
  const isOther = (name: string): boolean => metricName(name).core !== core;
  return [...printed]
    .filter((name) => isEvaluation(name) && !shown.some((one) => isSameMetric(one, name)))
    .filter((name, place, all) => all.findIndex((one) => isSameMetric(one, name)) === place)
    .toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)) || splitRank(a) - splitRank(b))
    .slice(0, maxColumns)
    .map((metric) => ({ metric, valuesOf: (of) => lastValues(of, metric) }));
}

const isEvaluation = (name: string): boolean =>
  splitRank(name) <= splitRank('test acc') && directionOf(name) !== 'none' && !isTiming(name);

const lastValues = (runs: readonly LedgerRow[], metric: string): readonly MeasuredRow[] =>
  measuredRows(runs, { metric, direction: 'higher', rule: 'last' });
