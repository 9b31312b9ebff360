import { Decimation } from './decimation.ts';
import { Extent } from './extent.ts';
import type { SeriesColumns } from '../metric.ts';
import { RecentPoints } from './recentPoints.ts';
import { RecordMarks } from './recordMarks.ts';
import { StretchMeans, type MeanColumns } from './stretchMeans.ts';
import type { SeriesTotals } from '../disk/totalsFile.ts';

/** Maximum number of points of one series in memory. A longer series is decimated. */
export const maxPointsInMemory = 2 ** 17;
/** Number of newest points that are stored of a decimated series. */
const recentPoints = 2048;

/** The stores of a decimated series, apart from the sample of its points. */
interface Condensed {
  means: StretchMeans;
  recent: RecentPoints;
}

/**
 * The points (step, time, value) of one metric of one run, in the order of the output. Stores all
 * points up to a limit, then a sample of them: see `Decimation`. The tally and the extents always
 * cover all points.
 */
export class Series {
  readonly tally = new Tally();
  readonly marks = new RecordMarks();
  readonly #points: Decimation;
  readonly #steps = new Extent();
  readonly #timesMs = new Extent();
  #limit: number;
  #condensed: Condensed | undefined;
  /** Number of points that the extents, and a sample and its averages, cover. */
  #settledCount = 0;

  /** @param limit Maximum number of points in memory. */
  constructor(limit = maxPointsInMemory) {
    this.#limit = limit;
    this.#points = new Decimation(limit);
  }

  /** Number of points of the whole series. */
  get count(): number {
    return this.tally.count;
  }

  /** Extent of the steps of all points. */
  get steps(): Readonly<Extent> {
    this.#settle();
    return this.#steps;
  }

  /** Extent of the times of all points. */
  get timesMs(): Readonly<Extent> {
    this.#settle();
    return this.#timesMs;
  }

  /** The totals of all points, from which `restore` continues. */
  get totals(): SeriesTotals {
    return { ...this.tally.totals, steps: { ...this.steps }, timesMs: { ...this.timesMs } };
  }

  /** Whether memory holds all points. */
  get isWhole(): boolean {
    return this.#condensed === undefined;
  }

  /** Number of points, of any kind, for which memory is reserved. */
  get capacity(): number {
    const { means, recent } = this.#condensed ?? {};
    return this.#points.capacity + (means?.capacity ?? 0) + (recent?.capacity ?? 0);
  }

  /**
   * Adds a point. `record`: its position in the points file; `undefined` for a point that is not in
   * the file.
   */
  add(step: number, timeMs: number, value: number, record?: number): void {
    const index = this.tally.count;
    if (record !== undefined) this.marks.add(index, record);
    if (this.#condensed === undefined && this.#points.isFull) this.#condense();
    if (this.#condensed === undefined) this.#points.add(index, step, timeMs, value);
    else {
      if (this.#condensed.recent.isFull) this.#settle();
      this.#condensed.recent.add(step, timeMs, value);
    }
    this.tally.add(step, value);
  }

  /**
   * Returns the points in memory: see `SeriesColumns.indices`. The columns are views: read them
   * before the next point is added, and do not change them.
   */
  columns(): SeriesColumns {
    this.#settle();
    return this.#points.columns();
  }

  /** Returns the points from position `from` on; `undefined` if some are no longer in memory. */
  recent(from: number): SeriesColumns | undefined {
    return this.#condensed === undefined
      ? copiedFrom(this.#points.columns(), from)
      : this.#condensed.recent.from(from);
  }

  /** Returns averages over all points of a decimated series; `undefined` for a whole series. */
  means(): MeanColumns | undefined {
    this.#settle();
    return this.#condensed?.means.columns();
  }

  /**
   * Continues from the totals of a longer series that begins with the points of this series. The
   * points in between are missing from the sample.
   */
  restore({ steps, timesMs, ...tally }: SeriesTotals): void {
    if (tally.count <= this.count) return;
    if (this.#condensed === undefined) this.#condense();
    this.#settle();
    this.tally.restore(tally);
    this.#condensed?.recent.restart(this.count - 1);
    this.#condensed?.recent.add(tally.lastStep, timesMs.last, tally.last);
    this.#settledCount = this.count - 1;
    this.#settle();
    Object.assign(this.#steps, steps);
    Object.assign(this.#timesMs, timesMs);
  }

  /** Lowers the maximum number of points in memory. */
  restrict(limit: number): void {
    if (limit >= this.#limit) return;
    if (this.#condensed === undefined && this.count > limit) this.#condense();
    this.#settle();
    this.#limit = limit;
    this.#points.restrict(limit);
    if (this.#condensed === undefined) return;
    this.#condensed.means = this.#condensed.means.restricted(meansFor(limit));
    this.#condensed.recent = this.#condensed.recent.restricted(recentFor(limit));
  }

  /** Adds the points since the last call to the extents, the sample and the averages. */
  #settle(): void {
    if (this.#settledCount === this.count) return;
    const points = this.recent(this.#settledCount);
    if (points === undefined) throw new Error('Points were removed before they were counted');
    this.#steps.add(points.steps);
    this.#timesMs.add(points.timesMs);
    this.#condensed?.means.add(points);
    if (this.#condensed !== undefined) this.#points.sample(points, this.#settledCount);
    this.#settledCount = this.count;
  }

  /** Begins to sample. Until now, memory holds all points. */
  #condense(): void {
    this.#settle();
    const all = this.#points.columns();
    const means = new StretchMeans(meansFor(this.#limit));
    const recent = new RecentPoints(recentFor(this.#limit));
    means.add(all);
    recent.restart(this.count);
    this.#condensed = { means, recent };
  }
}

function copiedFrom({ steps, timesMs, values }: SeriesColumns, from: number): SeriesColumns {
  return {
    steps: steps.slice(from),
    timesMs: timesMs.slice(from),
    values: values.slice(from),
  };
}

const meansFor = (limit: number): number => Math.max(16, limit / 16);
const recentFor = (limit: number): number => Math.max(32, Math.min(recentPoints, limit / 4));

interface NonFinite {
  /** 0-based index in the series. */
  readonly index: number;
  readonly step: number;
  readonly value: number;
}

/**
 * Count, last value, extremes and mean of a series, updated with each value. `min`, `max` and
 * `mean` cover finite values only.
 */
export class Tally {
  count = 0;
  last = NaN;
  lastStep = NaN;
  min = NaN;
  max = NaN;
  firstNonFinite: NonFinite | undefined;
  #finiteCount = 0;
  #mean = 0;

  get totals(): Omit<SeriesTotals, 'steps' | 'timesMs'> {
    const { count, last, lastStep, min, max, firstNonFinite } = this;
    const means = { finiteCount: this.#finiteCount, mean: this.#mean };
    return { count, last, lastStep, min, max, ...means, firstNonFinite };
  }

  restore({ finiteCount, mean, ...rest }: Omit<SeriesTotals, 'steps' | 'timesMs'>): void {
    this.#finiteCount = finiteCount;
    this.#mean = mean;
    Object.assign(this, rest);
  }

  get mean(): number {
    return this.#finiteCount === 0 ? NaN : this.#mean;
  }

  add(step: number, value: number): void {
    if (Number.isFinite(value)) this.#addFinite(value);
    else this.firstNonFinite ??= { index: this.count, step, value };
    this.count++;
    this.last = value;
    this.lastStep = step;
  }

  #addFinite(value: number): void {
    this.#finiteCount++;
    // Dividing each term keeps the running mean finite even for values near the largest number.
    this.#mean += value / this.#finiteCount - this.#mean / this.#finiteCount;
    if (!(value >= this.min)) this.min = value;
    if (!(value <= this.max)) this.max = value;
  }
}
