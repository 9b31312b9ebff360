import type { SeriesColumns } from '../metric.ts';
import type { SampledSeries } from './sampledSeries.ts';

/**
 * A point of a series. `step`: the last point whose step is not above `position`, in a series whose
 * steps never decrease. `index`: the point at the 0-based index `position`.
 */
export interface Place {
  readonly by: 'step' | 'index';
  readonly position: number;
}

/**
 * Returns the value at a step or index in columns with all points; `undefined` if there is no such
 * point.
 */
export function valueIn(
  { steps, values }: SeriesColumns,
  { by, position }: Place,
): number | undefined {
  return values[by === 'step' ? steps.findLastIndex((step) => step <= position) : position];
}

/**
 * Reads the value at a step or index in a sampled series from the disk. Reads only the points
 * around it. Rejects with an error of the system.
 */
export async function valueOnDisk(
  series: SampledSeries,
  { by, position }: Place,
): Promise<number | undefined> {
  const { from, to } =
    by === 'index' ? { from: position, to: position + 1 } : around(series, position);
  let value: number | undefined;
  for await (const part of series.read(from, to))
    value = (by === 'index' ? part.values[0] : valueIn(part, { by, position })) ?? value;
  return value;
}

/** Returns the positions between which the steps of the sample pass `step`. */
function around(series: SampledSeries, step: number): { from: number; to: number } {
  const { steps, indices = new Float64Array() } = series.columns();
  const next = steps.findIndex((each) => each > step);
  return {
    from: indices[(next < 0 ? steps.length : next) - 1] ?? 0,
    to: next < 0 ? series.count : (indices[next] ?? series.count),
  };
}
