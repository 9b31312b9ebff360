import type { MessageConnection } from 'vscode-jsonrpc';
import { readSeries, type PointsAdded, type SeriesQuery } from '../../src/protocol/metricsPanel.ts';
import { Series } from './series.ts';

interface Entry {
  series: Series | undefined;
  /** Query to which `series` is the answer; `undefined` if the series must be read again. */
  answered: string | undefined;
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
/** Minimum time between reads of a series that cannot be continued point by point. */
const rereadEveryMs = 500;

/**
 * Caches the series that the cards draw. Cards request their series on every draw, and the store
 * reads missing ones from the host. Per series there is one pending request, and the latest query
 * wins. The old series is shown until the new one arrives.
 */
export class SeriesStore {
  readonly #connection: MessageConnection;
  readonly #onChange: (metric: string) => void;
  #entries = new Map<string, Entry>();

  constructor(connection: MessageConnection, onChange: (metric: string) => void) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** Returns what can be drawn now for this query, and reads the rest. */
  want(query: SeriesQuery): Series | undefined {
    const entry = this.#entryOf(query);
    const wish = JSON.stringify(query);
    const isCrowded = (entry.series?.points.length ?? 0) > query.pixels * maxPointsPerPixel;
    const isDone = entry.answered === wish && !isCrowded;
    if (!isDone && entry.reading === undefined && entry.problem === undefined)
      void this.#read(entry, query, wish);
    return entry.series?.axis === query.axis ? entry.series : undefined;
  }

  /** Returns the host's error for a series that cannot be shown. */
  problemOf(runId: string, metric: string): string | undefined {
    return this.#entries.get(keyOf(runId, metric))?.problem;
  }

  isReading(runId: string, metric: string): boolean {
    return this.#entries.get(keyOf(runId, metric))?.reading !== undefined;
  }

  add(added: PointsAdded): void {
    const entry = this.#entries.get(keyOf(added.runId, added.metric));
    if (entry === undefined) return;
    if (entry.series?.append(added) === true) this.#onChange(added.metric);
    else this.#readAgain(entry, added.metric);
  }

  #readAgain(entry: Entry, metric: string): void {
    if (entry.isRereadDue) return;
    entry.isRereadDue = true;
    const waitMs = Math.max(0, entry.readMs + rereadEveryMs - performance.now());
    setTimeout(() => {
      entry.isRereadDue = false;
      entry.answered = undefined;
      this.#onChange(metric);
    }, waitMs);
  }

  /** Reads the series of the metric that failed again. */
  retry(metric: string): void {
    for (const [key, entry] of this.#entries)
      if (key.endsWith(`\n${metric}`)) entry.problem = undefined;
    this.#onChange(metric);
  }

  /**
   * Marks every series as outdated. Each is read again when a card requests it, and is shown until
   * then.
   */
  refresh(): void {
    this.#entries = new Map(
      [...this.#entries].map(([key, { series }]) => [key, { ...fresh(), series }]),
    );
  }

  #entryOf({ runId, metric }: SeriesQuery): Entry {
    const key = keyOf(runId, metric);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry = fresh();
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

const fresh = (): Entry => ({
  series: undefined,
  answered: undefined,
  reading: undefined,
  readMs: Number.NEGATIVE_INFINITY,
  isRereadDue: false,
  problem: undefined,
});

const keyOf = (runId: string, metric: string): string => `${runId}\n${metric}`;
