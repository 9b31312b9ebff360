import type { Extent } from './extent.ts';
import type { SeriesColumns } from '../metric.ts';
import { PointColumns, type IndexedColumns } from './pointColumns.ts';
import { isPoint, recordBytes, stepAt, timeAt, valueAt } from '../disk/pointRecord.ts';
import type { Series } from './series.ts';
import { readRecords, type StoredRecords } from '../disk/storedRecords.ts';
import type { MeanColumns } from './stretchMeans.ts';

export interface RecordsOfSeries extends StoredRecords {
  /** Index of the metric's name in the records. */
  readonly name: number;
}

/** A series of which only a sample is in memory, while all points are on disk. */
export class SampledSeries {
  readonly #series: Series;
  readonly #stored: () => RecordsOfSeries;

  /** @param stored Returns the records that are on disk now. */
  constructor(series: Series, stored: () => RecordsOfSeries) {
    this.#series = series;
    this.#stored = stored;
  }

  /** Number of points of the whole series. */
  get count(): number {
    return this.#series.count;
  }

  /** Extent of the steps of all points. */
  get steps(): Readonly<Extent> {
    return this.#series.steps;
  }

  /** Extent of the times of all points. */
  get timesMs(): Readonly<Extent> {
    return this.#series.timesMs;
  }

  /** Returns the sample. Views: read them before the next point is added. */
  columns(): SeriesColumns {
    return this.#series.columns();
  }

  /** Returns the points from position `from` on; `undefined` if some are no longer in memory. */
  recent(from: number): SeriesColumns | undefined {
    return this.#series.recent(from);
  }

  /** Returns averages over all points. Views: read them before the next point is added. */
  means(): MeanColumns | undefined {
    return this.#series.means();
  }

  /**
   * Reads the points from position `from` up to position `to` from the disk, in parts. For points
   * that are not on disk, yields those in the sample. Rejects with an error of the system.
   */
  async *read(from = 0, to = Infinity): AsyncGenerator<IndexedColumns, void, void> {
    const end = Math.min(to, this.count);
    let next = from;
    for await (const part of this.#readStored(from, end)) {
      next = (part.indices.at(-1) ?? next) + 1;
      yield part;
    }
    const rest = sampleBetween(this.columns(), next, end);
    if (rest.values.length > 0) yield rest;
  }

  async *#readStored(from: number, to: number): AsyncGenerator<IndexedColumns, void, void> {
    const start = this.#series.marks.before(from);
    if (start === undefined) return;
    const stored = this.#stored();
    const end = this.#series.marks.recordFrom(to);
    let index = start.index;
    for await (const { view, count } of readRecords(stored, start.record, end)) {
      const part = new PointColumns();
      for (let at = 0; at < count * recordBytes && index < to; at += recordBytes) {
        if (!isPoint(view, at, stored.name)) continue;
        if (index >= from) part.add(index, stepAt(view, at), timeAt(view, at), valueAt(view, at));
        index++;
      }
      if (part.count > 0) yield part.view();
    }
  }
}

/** Returns copies of the points of the sample from position `from` up to position `to`. */
function sampleBetween(columns: SeriesColumns, from: number, to: number): IndexedColumns {
  const { values, indices = values.map((_, at) => at), steps, timesMs } = columns;
  const start = firstAtLeast(indices, from);
  const end = firstAtLeast(indices, to);
  return {
    indices: indices.slice(start, end),
    steps: steps.slice(start, end),
    timesMs: timesMs.slice(start, end),
    values: values.slice(start, end),
  };
}

const firstAtLeast = (indices: Float64Array, limit: number): number => {
  const at = indices.findIndex((index) => index >= limit);
  return at < 0 ? indices.length : at;
};
