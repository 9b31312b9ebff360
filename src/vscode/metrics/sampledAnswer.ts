/** Answers the view's queries of a series that is too long for memory. */
import { downsampleForPlot, plotSampled } from '../../presentation/runs/series.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { SampledSeries } from '../../metrics/series/sampledSeries.ts';
import { smoothedStretches } from '../../protocol/ema.ts';
import type { SeriesAnswer, SeriesQuery } from '../../protocol/metricsPanel.ts';

interface Asked {
  readonly series: SampledSeries;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly query: SeriesQuery;
}

type Placed = Pick<SeriesColumns, 'steps' | 'timesMs'> & { readonly indices: Float64Array };

/**
 * Answers a query of the whole series from memory, and a query of a range from the disk. The
 * smoothed curve is computed from the averages of short stretches. Rejects with an error of the
 * system.
 */
export async function answerSampled(asked: Asked): Promise<SeriesAnswer> {
  const { series, query } = asked;
  const total = series.count;
  const smooth = curveOf(asked);
  const isWhole = query.from === undefined && query.to === undefined;
  const extent = extentOf(asked);
  const points = isWhole ? drawSample(asked) : await drawRange(asked);
  return { ...points, total, ...(extent && { extent }), ...(smooth && { smooth }) };
}

function drawSample(asked: Asked) {
  const columns = asked.series.columns();
  const indices = columns.indices ?? columns.values.map((_, index) => index);
  return downsampleForPlot(xOf(asked, { ...columns, indices }), columns.values, asked.query);
}

function drawRange(asked: Asked) {
  const { series, query } = asked;
  const axis = query.axis === 'step' ? series.steps : series.timesMs;
  // Positions, which replace missing steps, always ascend.
  const isAscending = axis.isAscending || !axis.isComplete;
  return plotSampled(series, { ...query, isAscending, xOf: (part) => xOf(asked, part) });
}

function xOf({ series, query, startedMs }: Asked, { steps, timesMs, indices }: Placed) {
  if (query.axis !== 'step') return timesMs.map((timeMs) => timeMs - originOf(query, startedMs));
  return series.steps.isComplete ? steps : indices;
}

const originOf = ({ axis }: SeriesQuery, startedMs: number): number =>
  axis === 'time' ? startedMs : 0;

function extentOf({ series, query, startedMs }: Asked): SeriesAnswer['extent'] {
  const { steps, timesMs, count } = series;
  const origin = originOf(query, startedMs);
  if (query.axis !== 'step') return { from: timesMs.min - origin, to: timesMs.max - origin };
  return steps.isComplete ? { from: steps.min, to: steps.max } : { from: 0, to: count - 1 };
}

function curveOf(asked: Asked): SeriesAnswer['smooth'] {
  const { series, query } = asked;
  const stretches = series.means();
  if (query.smoothing === undefined || stretches === undefined) return undefined;
  const { values, ema } = smoothedStretches(stretches, query.smoothing, series.count);
  const indices = stretches.ends.map((end) => end - 1);
  const { x, y } = downsampleForPlot(xOf(asked, { ...stretches, indices }), values, query);
  return { x, y, ema };
}
