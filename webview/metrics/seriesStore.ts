import type { MessageConnection } from 'vscode-jsonrpc';
import {
  axisMetric,
  readSeries,
  type PointsAdded,
  type SeriesQuery,
} from '../../src/protocol/metricsPanel.ts';
import { Series } from './series.ts';

interface Entry {
  readonly runIds: readonly string[];
  readonly metric: string;
  series: Series | undefined;
  /** Query (as JSON) that `series` answers; `undefined` if the series must be read again. */
  answered: string | undefined;
  /** Query (as JSON) of the pending request. */
  reading: string | undefined;
  readMs: number;
  isRereadDue: boolean;
  problem: string | undefined;
}

/**
 * Maximum number of drawn points per pixel. Above this number, the series is read again,
 * downsampled.
 */
const maxPointsPerPixel = 10;
/** Minimum time between reads of a series to which new points cannot be appended. */
const rereadEveryMs = 500;

/**
 * Caches the series that the cards draw: of runs, and means of several runs. Cards request their series on every draw, and the store
 * reads missing series from the host. Each series has at most one pending request; when its answer
 * arrives, the cards are drawn again and request the series that they need by then. The old series
 * is shown until the new series arrives.
 */
export class SeriesStore {
  readonly #connection: MessageConnection;
  readonly #onChange: (metric: string) => void;
  #entries = new Map<string, Entry>();

  constructor(connection: MessageConnection, onChange: (metric: string) => void) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /**
   * Returns the cached series for the query's axis; `undefined` if there is none. If the cached
   * series does not answer this query, also requests the series from the host.
   */
  want(query: SeriesQuery): Series | undefined {
    const entry = this.#entryOf(query);
    const wish = JSON.stringify(query);
    const isCrowded = (entry.series?.points.length ?? 0) > query.pixels * maxPointsPerPixel;
    const isDone = entry.answered === wish && !isCrowded;
    if (!isDone && entry.reading === undefined && entry.problem === undefined)
      void this.#read(entry, query, wish);
    return entry.series?.axis === query.axis ? entry.series : undefined;
  }

  /** Returns the host's error if the series could not be read. */
  problemOf(runIds: readonly string[], metric: string): string | undefined {
    return this.#entries.get(keyOf(runIds, metric))?.problem;
  }

  isReading(runIds: readonly string[], metric: string): boolean {
    return this.#entries.get(keyOf(runIds, metric))?.reading !== undefined;
  }

  add(added: PointsAdded): void {
    for (const entry of this.#entries.values()) {
      if (!entry.runIds.includes(added.runId)) continue;
      const { axis = 'step' } = entry.series ?? {};
      if (axisMetric(axis) === added.metric) this.#readAgain(entry);
      if (entry.metric !== added.metric) continue;
      if (entry.series?.append(added) === true) this.#onChange(added.metric);
      else this.#readAgain(entry);
    }
  }

  #readAgain(entry: Entry): void {
    if (entry.isRereadDue) return;
    entry.isRereadDue = true;
    const waitMs = Math.max(0, entry.readMs + rereadEveryMs - performance.now());
    setTimeout(() => {
      entry.isRereadDue = false;
      entry.answered = undefined;
      this.#onChange(entry.metric);
    }, waitMs);
  }

  /** Clears the errors of the metric's series, so that the next draw reads these series again. */
  retry(metric: string): void {
    for (const entry of this.#entries.values())
      if (entry.metric === metric) entry.problem = undefined;
    this.#onChange(metric);
  }

  /**
   * Marks every series as outdated. A series is read again when a card requests it; until the
   * answer arrives, the old points are shown.
   */
  refresh(): void {
    this.#entries = new Map(
      [...this.#entries].map(([key, entry]) => [key, { ...fresh(entry), series: entry.series }]),
    );
  }

  #entryOf(query: SeriesQuery): Entry {
    const key = keyOf(query.runIds, query.metric);
    const existing = this.#entries.get(key);
    if (existing !== undefined) return existing;
    const entry = fresh(query);
    this.#entries.set(key, entry);
    return entry;
  }

  async #read(entry: Entry, query: SeriesQuery, wish: string): Promise<void> {
    entry.reading = wish;
    try {
      const answer = await this.#connection.sendRequest(readSeries, query);
      entry.series = new Series(answer, query.axis);
      entry.answered = wish;
    } catch (error) {
      entry.problem = error instanceof Error ? error.message : String(error);
    }
    entry.reading = undefined;
    entry.readMs = performance.now();
    this.#onChange(query.metric);
  }
}

const fresh = ({ runIds, metric }: Pick<SeriesQuery, 'runIds' | 'metric'>): Entry => ({
  runIds,
  metric,
  series: undefined,
  answered: undefined,
  reading: undefined,
  readMs: Number.NEGATIVE_INFINITY,
  isRereadDue: false,
  problem: undefined,
});

const keyOf = (runIds: readonly string[], metric: string): string =>
  `${runIds.join(' ')}\n${metric}`;
