/** Places the points of a series at the values of a counter of the same run, such as tokens. */
import { refusal } from '../webviews/viewRequests.ts';
import type { PanelSeries } from './panelSource.ts';

/**
 * Returns the series with the values of the counter as steps: at equal steps, or at equal times if
 * a point of either series has no step. Between two points of the counter, its value is that of the
 * line between them; points before its first and after its last value are left out. Both series
 * are those in memory: of one that is too long for memory, a sample. Throws a refusal if the
 * counter decreases.
 */
export function placedAt(series: PanelSeries, counter: PanelSeries, name: string): PanelSeries {
  const hasSteps = [series, counter].every(({ steps }) => !steps.some(Number.isNaN));
  const [at, places] = [series, counter].map(({ steps, timesMs }) =>
    hasSteps ? steps : timesMs,
  ) as [Float64Array, Float64Array];
  if (!isAscending(counter.values) || !isAscending(places))
    throw refusal(`${name} decreases in a run, and cannot be the horizontal axis.`);
  const x = at.map((place) => valueAt(place, places, counter.values));
  return withSteps(series, x);
}

/** Returns the points that have a finite step among `steps`. */
function withSteps({ startedMs, timesMs, values }: PanelSeries, steps: Float64Array): PanelSeries {
  const isPlaced = (_: number, index: number): boolean => Number.isFinite(steps[index]);
  const [placed, times, others] = [steps, timesMs, values].map((column) => column.filter(isPlaced));
  const none = new Float64Array();
  return { startedMs, steps: placed ?? none, timesMs: times ?? none, values: others ?? none };
}

/** Returns false for a column that decreases or has a value that is not finite. */
function isAscending(column: Float64Array): boolean {
  for (let index = 0; index < column.length; index++) {
    const value = column[index] ?? Number.NaN;
    if (!Number.isFinite(value) || value < (column[index - 1] ?? value)) return false;
  }
  return true;
}

/** Returns the value at a place; of several points there, the last. NaN outside the points. */
function valueAt(place: number, places: Float64Array, values: Float64Array): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [places[low - 1], places[low]];
  const value = values[low - 1] ?? Number.NaN;
  if (before === place || before === undefined || after === undefined)
    return before === place ? value : Number.NaN;
  const share = (place - before) / (after - before);
  return value * (1 - share) + (values[low] ?? Number.NaN) * share;
}
