/** Points of a long series for a plot, read from the disk in parts. */
import { downsampleForPlot, type PlotPoints, type PlotRange } from './downsampleForPlot.ts';
import type { SeriesColumns } from '../metric.ts';
import { PlotColumns, type PlotPoint } from './plotColumns.ts';
import type { IndexedColumns } from '../series/pointColumns.ts';
import type { SampledSeries } from '../series/sampledSeries.ts';

/** Maximum number of points that are read into memory at once. */
const maxHeldPoints = 2 ** 18;

/** Returns the x of each point. */
export type XOf = (columns: IndexedColumns) => Float64Array;

interface PlotRequest extends PlotRange {
  readonly xOf: XOf;
  /** Whether x never decreases in the whole series. */
  readonly isAscending: boolean;
  /** Default: `maxHeldPoints`. */
  readonly maxHeld?: number;
}

/**
 * Returns what `downsampleForPlot` returns for all points of the series. Reads only the part of the
 * file with the range, if x never decreases. Rejects with an error of the system.
 */
export async function plotSampled(
  series: SampledSeries,
  request: PlotRequest,
): Promise<PlotPoints> {
  const { maxHeld = maxHeldPoints, xOf } = request;
  const window = request.isAscending ? windowOf(series.columns(), request) : {};
  const [from, to] = [window.from ?? 0, Math.min(window.to ?? Infinity, series.count)];
  if (to - from > maxHeld) return plotInPasses(series, { ...request, window: { from, to } });
  const [x, y] = [new Float64Array(to - from), new Float64Array(to - from)];
  let count = 0;
  for await (const part of series.read(from, to)) {
    x.set(xOf(part), count);
    y.set(part.values, count);
    count += part.values.length;
  }
  return downsampleForPlot(x.subarray(0, count), y.subarray(0, count), request);
}

interface Window {
  readonly from?: number;
  readonly to?: number;
}

/**
 * Returns the positions that contain the range of the plot and a finite neighbour on each side, as
 * far as the sample shows.
 */
function windowOf(sample: SeriesColumns, { from, to, xOf }: PlotRequest): Window {
  const { values } = sample;
  const indices = sample.indices ?? values.map((_, at) => at);
  const x = xOf({ ...sample, indices });
  const isNeighbour = (at: number): boolean => Number.isFinite(values[at]);
  const start =
    from === undefined ? -1 : x.findLastIndex((each, at) => each < from && isNeighbour(at));
  const end = to === undefined ? -1 : x.findIndex((each, at) => each > to && isNeighbour(at));
  return {
    ...(start >= 0 && { from: indices[start] ?? 0 }),
    ...(end >= 0 && { to: (indices[end] ?? Infinity) + 1 }),
  };
}

/**
 * Reads the window twice: first to find the range of x, then to choose the points of each pixel
 * column.
 */
async function plotInPasses(
  series: SampledSeries,
  request: PlotRequest & { readonly window: { readonly from: number; readonly to: number } },
): Promise<PlotPoints> {
  const { window, xOf } = request;
  const columns = new PlotColumns(request);
  const pass = async (take: (point: PlotPoint) => void): Promise<void> => {
    for await (const part of series.read(window.from, window.to)) {
      const x = xOf(part);
      for (const [at, y] of part.values.entries())
        take({ x: x[at] ?? NaN, y, index: part.indices[at] ?? 0 });
    }
  };
  await pass((point) => columns.survey(point));
  columns.begin();
  await pass((point) => columns.add(point));
  return columns.points();
}
