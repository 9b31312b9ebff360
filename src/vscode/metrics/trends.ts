/** The small curves of the table: at most one value per pixel. */
import { meanCurve } from '../../presentation/runs/series.ts';
import { cellMeans } from '../../presentation/sparkline.ts';
import type { TrendsQuery } from '../../protocol/metricsTable.ts';
import type { PanelSource } from './panelSource.ts';
import { xOf } from './seriesAnswer.ts';

/**
 * Reads the curve of each item: of a run, or the mean of several runs. A long series is read from the
 * sample in memory. The curve of an item without values is empty.
 */
export const trendsOf = (
  source: Pick<PanelSource, 'series'>,
  { items, metric, width }: TrendsQuery,
): Promise<Float64Array[]> =>
  Promise.all(
    items.map(async ({ runIds }) => {
      const all = await Promise.all(runIds.map(async (id) => source.series(id, metric)));
      const series = all.filter((one) => one !== undefined);
      const [first] = series;
      if (first === undefined) return new Float64Array();
      if (series.length === 1) return Float64Array.from(cellMeans(first.values, width));
      const { mean } = meanCurve(series.map((one) => ({ x: xOf(one, 'step'), y: one.values })));
      return Float64Array.from(cellMeans(mean, width));
    }),
  );
