/** Answers the view's queries of the mean of several runs. */
import {
  downsampleForPlot,
  inOrder,
  meanCurve,
  type MeanCurve,
} from '../../presentation/runs/series.ts';
import { smoothed } from '../../protocol/ema.ts';
import type { SeriesAnswer, SeriesBand, SeriesQuery } from '../../protocol/metricsPanel.ts';
import { countOf, type PanelSeries } from './panelSource.ts';
import { extentOf, xOf } from './seriesAnswer.ts';

/**
 * Returns the mean of the runs, and one standard deviation around it. Computed from the points in
 * memory: for a series that is too long for memory, from a sample of its points.
 */
export function answerMean(runs: readonly PanelSeries[], query: SeriesQuery): SeriesAnswer {
  const curves = runs.map((run) => inOrder({ x: xOf(run, query.axis), y: run.values }));
  const curve = meanCurve(curves);
  const { x, mean } = curve;
  const marks = curves.flatMap(({ x, y }) => downsampleForPlot(x, y, query).nonFinite);
  const average = query.smoothing === undefined ? undefined : smoothed(mean, query.smoothing);
  const smooth = average && downsampleForPlot(x, average.values, query);
  return {
    ...downsampleForPlot(x, mean, query),
    nonFinite: marks.toSorted((a, b) => a.x - b.x),
    total: runs.reduce((sum, run) => sum + countOf(run), 0),
    band: bandOf(curve, query),
    ...(x.length > 0 && { extent: extentOf(x) }),
    ...(smooth && average && { smooth: { x: smooth.x, y: smooth.y, ema: average.ema } }),
  };
}

function bandOf({ x, low, high, count }: MeanCurve, query: SeriesQuery): SeriesBand {
  const edge = (y: Float64Array) => {
    const points = downsampleForPlot(x, y, query);
    return { x: points.x, y: points.y };
  };
  const counts = [...count.entries()].flatMap(([index, n]) =>
    n === count[index - 1] ? [] : [{ x: x[index] ?? Number.NaN, n }],
  );
  return { low: edge(low), high: edge(high), counts };
}
