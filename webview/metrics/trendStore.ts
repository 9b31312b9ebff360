/** Small curves of the rows in view, read from the host as they are drawn. */
import type { MessageConnection } from 'vscode-jsonrpc';
import { readTrends } from '../../src/protocol/metricsTable.ts';
import type { Item } from './items.ts';

/** Width of a curve in CSS pixels. */
export const trendWidth = 72;

/** Minimum time between reads of a curve that goes on. */
const rereadEveryMs = 1000;
const maxPerRead = 100;

interface Entry {
  item: Item;
  readonly metric: string;
  /** What the curve depends on; another version is read again. */
  version: string;
  readVersion: string | undefined;
  readMs: number;
  values: Float64Array | undefined;
}

export class TrendStore {
  readonly #connection: MessageConnection;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #due = new Set<Entry>();
  #isReading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: MessageConnection, onChange: () => void) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /**
   * Returns the means of the pixel columns of the curve; `undefined` until it was read. Called for
   * each row in view when it is drawn; reads what is missing or outdated.
   */
  want(item: Item, metric: string): Float64Array | undefined {
    const key = `${item.id}\n${metric}`;
    const entry = this.#entries.get(key) ?? fresh(item, metric);
    this.#entries.set(key, entry);
    entry.item = item;
    entry.version = `${item.runIds.length} ${item.metrics[metric]?.last} ${item.status}`;
    if (entry.readVersion !== entry.version) {
      this.#due.add(entry);
      this.#schedule(entry.readMs + rereadEveryMs - performance.now());
    }
    return entry.values;
  }

  #schedule(waitMs: number): void {
    if (this.#isReading || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#read();
      },
      Math.max(0, waitMs),
    );
  }

  async #read(): Promise<void> {
    // The rows that were drawn last are in view; others may have been scrolled away.
    const all = [...this.#due].slice(-maxPerRead);
    const batch = all.filter(({ metric }) => metric === all[0]?.metric);
    this.#due.clear();
    this.#isReading = true;
    for (const entry of batch) entry.readVersion = entry.version;
    try {
      const items = batch.map(({ item: { runIds } }) => ({ runIds }));
      const request = { metric: batch[0]?.metric ?? '', items, width: pixels() };
      const { trends } = await this.#connection.sendRequest(readTrends, request);
      batch.forEach((entry, index) => (entry.values = trends[index]));
    } catch {
      // A curve that cannot be read is left out, and read again with its next value.
    }
    for (const entry of batch) entry.readMs = performance.now();
    this.#isReading = false;
    this.#onChange();
  }
}

const pixels = (): number => Math.round(trendWidth * Math.min(2, devicePixelRatio));

const fresh = (item: Item, metric: string): Entry => ({
  item,
  metric,
  version: '',
  readVersion: undefined,
  readMs: Number.NEGATIVE_INFINITY,
  values: undefined,
});
