/** The values of the table at a step: those at the largest step up to it. */
import { printedValue, stepAxis } from '../../presentation/runs/series.ts';
import { statisticsOver, statisticsText } from '../../presentation/runs/runGroups.ts';
import type { PanelRun } from '../../protocol/metricsPanel.ts';
import type { RowRuns, ValuesAtQuery } from '../../protocol/metricsTable.ts';
import type { PanelSeries, PanelSource } from './panelSource.ts';

type Source = Pick<PanelSource, 'series' | 'state'>;

/** Reads the values of each item in the order of the metrics; empty where there is none. */
export async function valuesAt(
  source: Source,
  { items, metrics, step }: ValuesAtQuery,
): Promise<string[][]> {
  const runs = new Map(source.state().runs.map((run) => [run.id, run]));
  const rows: string[][] = [];
  for (const item of items) {
    const cells = metrics.map((metric) => cellOf({ source, runs }, item, { metric, step }));
    rows.push(await Promise.all(cells));
  }
  return rows;
}

async function cellOf(
  { source, runs }: { readonly source: Source; readonly runs: ReadonlyMap<string, PanelRun> },
  { runIds }: RowRuns,
  { metric, step }: { readonly metric: string; readonly step: number },
): Promise<string> {
  const read = runIds.map(async (id) => {
    const series = await source.series(id, metric);
    const value = series && (await valueAt(series, step));
    return value === undefined ? [] : [{ series, value, seed: runs.get(id)?.seed }];
  });
  const measured = (await Promise.all(read)).flat();
  const [first] = measured;
  if (first?.series === undefined) return '';
  if (runIds.length === 1) return printedValue(first.value, extremesOf(first.series));
  const finite = measured.filter(({ value }) => Number.isFinite(value));
  return finite.length === 0 ? 'NaN' : statisticsText(statisticsOver(finite));
}

/**
 * Returns the value at the largest step up to `step`, the last of several; `undefined` if the series
 * begins later. Points without a step count as their position. Exact also for a series that is too
 * long for memory.
 */
export async function valueAt(series: PanelSeries, step: number): Promise<number | undefined> {
  const at = lastUpTo(stepAxis(series), step);
  if (at === undefined) return undefined;
  const { sampled, indices, values } = series;
  if (sampled === undefined || indices === undefined) return values[at];
  let best = { step: Number.NEGATIVE_INFINITY, value: values[at] };
  for await (const part of sampled.read(indices[at] ?? 0, indices[at + 1] ?? Infinity)) {
    const x = stepAxis(part);
    const index = lastUpTo(x, step);
    const found = index === undefined ? undefined : x[index];
    if (index !== undefined && found !== undefined && found >= best.step)
      best = { step: found, value: part.values[index] };
  }
  return best.value;
}

/** Returns the index of the largest x up to `limit`, the last of several. */
function lastUpTo(x: Float64Array, limit: number): number | undefined {
  let best: number | undefined;
  for (let index = 0; index < x.length; index++) {
    const value = x[index] ?? Number.NaN;
    if (value <= limit && (best === undefined || value >= (x[best] ?? Number.NaN))) best = index;
  }
  return best;
}

/** Returns what `printedValue` needs to know of the series. */
function extremesOf({ values }: PanelSeries) {
  const last = values.at(-1) ?? Number.NaN;
  const summary = { count: values.length, last, min: Infinity, max: -Infinity };
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    summary.min = Math.min(summary.min, value);
    summary.max = Math.max(summary.max, value);
  }
  return summary;
}
