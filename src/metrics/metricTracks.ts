import { directionOf, isKnownMetric } from './direction.ts';
import { isDetecting } from './lines/metricSpec.ts';
import type { MetricPoint, MetricSpec, MetricSummary } from './metric.ts';
import { summaryOf } from './metricSummary.ts';
import { isSameMetric } from './metricName.ts';
import { maxPointsInMemory, Series } from './series/series.ts';
import type { RunTotals } from './disk/totalsFile.ts';

/** Number of points of all metrics of one run in memory, from which each metric gets its share. */
const maxPointsPerRun = 2 ** 21;
/** Share of a metric of a run with very many metrics. */
const minPointsPerSeries = 1024;
/** Maximum number of detected names: some programs print a new name on every line. */
const maxDetectedNames = 2000;

export interface Track {
  series: Series;
  /**
   * Whether the metric is shown. A detected unknown name that occurred only once is recorded but
   * not shown.
   */
  isShown: boolean;
}

/** The series of one run by the name of their metric, in order of first appearance. */
export class MetricTracks {
  readonly #isDetecting: boolean;
  readonly #maxPoints: number;
  readonly #tracks = new Map<string, Track>();
  #summaries: readonly MetricSummary[] | undefined;

  /** Names that are shown at their first point, in any spelling. */
  readonly #asked: readonly string[];

  /**
   * @param spec `all` shows each name at its first point.
   * @param maxPoints Maximum number of points of one metric in memory.
   */
  constructor(spec: MetricSpec | 'all', maxPoints = maxPointsInMemory) {
    this.#asked = spec === 'all' ? [] : [...(spec.also ?? []), ...Object.keys(spec.patterns ?? {})];
    this.#isDetecting = spec !== 'all' && isDetecting(spec);
    this.#maxPoints = maxPoints;
  }

  /** Number of points of all metrics for which memory is reserved. */
  get capacity(): number {
    return [...this.#tracks.values()].reduce((sum, { series }) => sum + series.capacity, 0);
  }

  get(metric: string): Track | undefined {
    return this.#tracks.get(metric);
  }

  /** Whether memory holds all points of every metric, including those that are not shown. */
  get isWhole(): boolean {
    return [...this.#tracks.values()].every(({ series }) => series.isWhole);
  }

  /** Returns the series of a shown metric with points. */
  shown(metric: string): Series | undefined {
    const track = this.#tracks.get(metric);
    return track?.isShown === true && track.series.count > 0 ? track.series : undefined;
  }

  /** Returns the names of the shown metrics with points. */
  names(): readonly string[] {
    return [...this.#tracks.keys()].filter((name) => this.shown(name) !== undefined);
  }

  /**
   * Returns the statistics of the shown metrics with points: the same list until a point is added
   * or removed.
   */
  summaries(directions: MetricSpec['directions']): readonly MetricSummary[] {
    this.#summaries ??= [...this.#tracks.keys()].flatMap((name) => {
      const series = this.shown(name);
      return series === undefined ? [] : summaryOf(name, series, directionOf(name, directions));
    });
    return this.#summaries;
  }

  /**
   * Returns the points of a line, without points of new detected names if there are too many names.
   */
  admitted(points: readonly MetricPoint[]): readonly MetricPoint[] {
    if (!this.#isDetecting) return points;
    let room = maxDetectedNames - this.#tracks.size;
    return points.filter(({ metric }) => this.#tracks.has(metric) || room-- > 0);
  }

  /** Adds a point of a metric. `record`: see `Series.add`. Returns the track of the metric. */
  add(
    metric: string,
    { step, timeMs, value }: Pick<MetricPoint, 'step' | 'timeMs' | 'value'>,
    record: number | undefined,
  ): Track {
    this.#summaries = undefined;
    const known = this.#tracks.get(metric);
    const track = known ?? this.open(metric);
    if (known !== undefined) track.isShown ||= track.series.count > 0;
    track.series.add(step, timeMs, value, record);
    return track;
  }

  /** Returns the track of a metric, and creates it if necessary. */
  open(metric: string): Track {
    const known = this.#tracks.get(metric);
    if (known !== undefined) return known;
    const before = this.#share();
    const isShown =
      !this.#isDetecting ||
      isKnownMetric(metric) ||
      this.#asked.some((name) => isSameMetric(name, metric));
    const track = { series: new Series(before), isShown };
    this.#tracks.set(metric, track);
    if (this.#share() < before)
      for (const { series } of this.#tracks.values()) series.restrict(this.#share());
    return track;
  }

  /** Returns the totals of all metrics, from which `restore` continues. */
  totals(): RunTotals['series'] {
    return [...this.#tracks].map(([metric, { isShown, series }]) => ({
      metric,
      isShown,
      totals: series.totals,
    }));
  }

  /** Continues from totals: see `Series.restore`. */
  restore(all: RunTotals['series']): void {
    this.#summaries = undefined;
    for (const { metric, isShown, totals } of all) {
      const track = this.open(metric);
      track.isShown = isShown;
      track.series.restore(totals);
    }
  }

  /** Removes all points. The names and whether they are shown stay. */
  forget(): void {
    this.#summaries = undefined;
    for (const track of this.#tracks.values()) track.series = new Series(this.#share());
  }

  /** Returns the maximum number of points in memory of each metric. */
  #share(): number {
    const share = 2 ** Math.floor(Math.log2(maxPointsPerRun / Math.max(1, this.#tracks.size)));
    return Math.min(this.#maxPoints, Math.max(minPointsPerSeries, share));
  }
}
