/** Answers the view's queries: of a run or the mean of several, over steps, times or a counter. */
import { axisMetric, type SeriesAnswer, type SeriesQuery } from '../../protocol/metricsPanel.ts';
import { placedAt } from './counterAxis.ts';
import { answerMean } from './meanAnswer.ts';
import { countOf, type PanelSeries } from './panelSource.ts';
import { answerSampled } from './sampledAnswer.ts';
import { answerSeries } from './seriesAnswer.ts';

/** A series of each run of a query; `undefined` for a run without it. */
export type SeriesOfRuns = readonly (PanelSeries | undefined)[];

/**
 * Answers a query. `counters`: the series of the metric of the axis, for an axis of a metric; runs
 * without it are left out. Rejects with a refusal, or with an error of the system.
 */
export async function answerQuery(
  query: SeriesQuery,
  all: SeriesOfRuns,
  counters: SeriesOfRuns,
): Promise<SeriesAnswer> {
  const counter = axisMetric(query.axis);
  const series = all.filter((one) => one !== undefined);
  if (counter === undefined) return answerOf(series, query);
  const placed = all.flatMap((one, index) => {
    const own = counters[index];
    return one === undefined || own === undefined ? [] : [placedAt(one, own, counter)];
  });
  const answer = await answerOf(placed, { ...query, axis: 'step' });
  return { ...answer, total: series.reduce((sum, one) => sum + countOf(one), 0) };
}

function answerOf(
  series: readonly PanelSeries[],
  query: SeriesQuery,
): SeriesAnswer | Promise<SeriesAnswer> {
  const [first] = series;
  if (query.runIds.length > 1 || first === undefined) return answerMean(series, query);
  const { sampled, startedMs } = first;
  return sampled === undefined
    ? answerSeries(first, query)
    : answerSampled({ series: sampled, startedMs, query });
}
