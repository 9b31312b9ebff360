import { createLineParser } from './lines/lineParser.ts';
import { directionOf } from './direction.ts';
import type { MetricSummary, SeriesColumns, Trend } from './metric.ts';
import { summaryOf } from './metricSummary.ts';
import { MetricTracks } from './metricTracks.ts';
import type { RunMetrics } from './runMetrics.ts';
import { Series } from './series/series.ts';
import { trendOf } from './series/trend.ts';
import { valueIn, type Place } from './series/valueAt.ts';

/** The methods with which the metrics of a run are read. */
export type ReadableMetrics = Pick<
  RunMetrics,
  'names' | 'summary' | 'summaries' | 'series' | 'trend' | 'hasAscendingSteps' | 'valueAt'
>;

/** Maximum number of metrics; further metrics are ignored. */
const maxMetrics = 500;

/**
 * The metrics in JSON lines that are complete, such as those of an import. Names and steps are read
 * as in the output of a run. A name that occurs only once is a metric, too.
 */
export class FixedMetrics implements ReadableMetrics {
  readonly #tracks = new MetricTracks('all');

  constructor(lines: readonly string[]) {
    const parser = createLineParser({});
    const names = new Set<string>();
    for (const line of lines)
      parser.parse(line, (metric, step, value) => {
        if (!names.has(metric) && names.size >= maxMetrics) return;
        names.add(metric);
        this.#tracks.add(metric, { step, timeMs: NaN, value }, undefined);
      });
  }

  names(): readonly string[] {
    return this.#tracks.names();
  }

  summary(name: string): MetricSummary | undefined {
    const series = this.#tracks.shown(name);
    return series && summaryOf(name, series, directionOf(name));
  }

  summaries(): readonly MetricSummary[] {
    return this.names().flatMap((name) => this.summary(name) ?? []);
  }

  series(name: string): SeriesColumns {
    return this.#of(name).columns();
  }

  trend(name: string, window = 20): Trend {
    return trendOf(this.series(name).values, window);
  }

  hasAscendingSteps(name: string): boolean {
    return this.#of(name).steps.isAscending;
  }

  /**
   * Returns the value at a step or index. For a series that is too long for memory, returns the
   * nearest sampled value before a step, and `undefined` for an index.
   */
  valueAt(name: string, place: Place): Promise<number | undefined> {
    const isKnown = place.by === 'step' || this.#of(name).isWhole;
    return Promise.resolve(isKnown ? valueIn(this.series(name), place) : undefined);
  }

  #of(name: string): Series {
    return this.#tracks.shown(name) ?? new Series();
  }
}
