/** Selects the points of a series to send to the webview: no more than the chart has pixels for. */
import { downsampleForPlot, stepAxis } from '../../presentation/runs/series.ts';
import { smoothed } from '../../protocol/ema.ts';
import type { PointsAdded, SeriesAnswer, SeriesQuery, XAxis } from '../../protocol/metricsPanel.ts';
import type { PanelSeries } from './panelSource.ts';

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
): Pick<PointsAdded, 'steps' | 'times' | 'values'> {
  const isByPosition = hasNaN(series.steps);
  const start = canContinue(series, from, isByPosition) ? from : series.values.length;
  // Copied, because sending a subarray would send the whole underlying buffer.
  const steps = series.steps.slice(start);
  return {
    steps: isByPosition ? steps.map((_, index) => start + index) : steps,
    times: timesOf(series, start),
    values: series.values.slice(start),
  };
}

/**
 * Whether the webview can append the new points to the points that it has. False if there are too
 * many new points or fewer points than before. Also false when the first point without a step has
 * arrived, because all x values then change from steps to positions.
 */
function canContinue({ steps, values }: PanelSeries, from: number, isByPosition: boolean): boolean {
  const count = values.length - from;
  if (count < 0 || count > maxAddedPoints) return false;
  return from === 0 || !isByPosition || hasNaN(steps.subarray(0, from));
}

/**
 * Whether a column contains NaN. Uses a plain loop for speed, because columns with a million steps
 * are checked many times a second.
 */
function hasNaN(column: Float64Array): boolean {
  for (let index = 0; index < column.length; index++) if (Number.isNaN(column[index])) return true;
  return false;
}

const xOf = (series: PanelSeries, axis: XAxis): Float64Array =>
  axis === 'step' ? stepAxis(series) : timesOf(series, 0);

const timesOf = ({ timesMs, startedMs }: PanelSeries, from: number): Float64Array =>
  timesMs.subarray(from).map((timeMs) => timeMs - startedMs);

function extentOf(x: Float64Array): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const value of x) {
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  return { from, to };
}
