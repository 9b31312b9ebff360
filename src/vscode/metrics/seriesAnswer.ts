/** Selects the points of a series to send to the webview: no more than the chart has pixels for. */
import { downsampleForPlot, stepAxis } from '../../presentation/runs/series.ts';
import { smoothed } from '../../protocol/ema.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';
import type { PointsAdded, SeriesAnswer, SeriesQuery, XAxis } from '../../protocol/metricsPanel.ts';
import { countOf, type PanelSeries } from './panelSource.ts';

/**
 * Maximum number of new points to send in one message. If there are more, the webview requests the
 * whole series again, downsampled.
 */
const maxAddedPoints = 2000;

export function answerSeries(series: PanelSeries, query: SeriesQuery): SeriesAnswer {
  const x = xOf(series, query.axis);
  const average =
    query.smoothing === undefined ? undefined : smoothed(series.values, query.smoothing);
  const curve = average && downsampleForPlot(x, average.values, query);
  return {
    ...downsampleForPlot(x, series.values, query),
    total: series.values.length,
    ...(x.length > 0 && { extent: extentOf(x) }),
    ...(curve && average && { smooth: { x: curve.x, y: curve.y, ema: average.ema } }),
  };
}

/**
 * Returns the points from index `from` on; no points if the webview has to request the whole series
 * again.
 */
export function pointsSince(
  series: PanelSeries,
  from: number,
): Pick<PointsAdded, 'steps' | 'times' | 'startedMs' | 'values'> {
  const isByPosition = hasNaN(series.steps);
  const canAppend = canContinue(series, from, isByPosition);
  const { steps, timesMs, values } = (canAppend && newest(series, from)) || noPoints;
  return {
    steps: isByPosition ? steps.map((_, index) => from + index) : steps,
    times: timesMs.map((timeMs) => timeMs - series.startedMs),
    startedMs: series.startedMs,
    values,
  };
}

const noPoints: SeriesColumns = {
  steps: new Float64Array(),
  timesMs: new Float64Array(),
  values: new Float64Array(),
};

/**
 * Returns copies of the points from position `from` on, because sending a view would send the whole
 * underlying buffer. `undefined` if some points are no longer in memory.
 */
function newest({ sampled, ...all }: PanelSeries, from: number): SeriesColumns | undefined {
  if (sampled !== undefined) return sampled.recent(from);
  const { steps, timesMs, values } = all;
  return {
    steps: steps.slice(from),
    timesMs: timesMs.slice(from),
    values: values.slice(from),
  };
}

/**
 * Whether the webview can append the new points to the points that it has. False if there are too
 * many new points or fewer points than before. Also false when the first point without a step has
 * arrived, because all x values then change from steps to positions.
 */
function canContinue(series: PanelSeries, from: number, isByPosition: boolean): boolean {
  const count = countOf(series) - from;
  if (count < 0 || count > maxAddedPoints) return false;
  if (from === 0 || !isByPosition) return true;
  const { steps, indices } = series;
  const end = indices === undefined ? from : indices.findLastIndex((index) => index < from) + 1;
  return hasNaN(steps.subarray(0, end));
}

/**
 * Whether a column contains NaN. Uses a plain loop for speed, because columns with a million steps
 * are checked many times a second.
 */
function hasNaN(column: Float64Array): boolean {
  for (let index = 0; index < column.length; index++) if (Number.isNaN(column[index])) return true;
  return false;
}

/** Returns the x of each point: steps, or times. */
export const xOf = (series: PanelSeries, axis: XAxis): Float64Array =>
  axis === 'time' ? timesOf(series) : axis === 'clock' ? series.timesMs : stepAxis(series);

const timesOf = ({ timesMs, startedMs }: PanelSeries): Float64Array =>
  timesMs.map((timeMs) => timeMs - startedMs);

/** Returns the first and last x of a column that is not empty. */
export function extentOf(x: Float64Array): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of x) {
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  return { from, to };
}
