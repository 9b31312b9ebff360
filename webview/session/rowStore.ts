/**
 * Caches the timeline's rows in pages. After a row has changed, its old version is shown until the
 * row has been read again.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import { readRows, type RunBar, type TimelineRow } from '../../src/protocol/sessionView.ts';

const pageRows = 100;
/** Maximum number of cached pages. Above this number, the least recently used pages are dropped. */
const maxPages = 40;

interface Page {
  rows: readonly TimelineRow[];
  isFresh: boolean;
  isReading: boolean;
}

export interface RowStoreEvents {
  changed(): void;
  failed(message: string): void;
}

export class RowStore {
  readonly #connection: MessageConnection;
  readonly #events: RowStoreEvents;
  readonly #pages = new Map<number, Page>();
  readonly #bars = new Map<string, RunBar>();
  #total = 0;

  constructor(connection: MessageConnection, events: RowStoreEvents) {
    this.#connection = connection;
    this.#events = events;
  }

  get total(): number {
    return this.#total;
  }

  /** Marks rows from `firstRow` on as new or changed, so that they are read again when needed. */
  invalidate(firstRow: number, total: number): void {
    this.#total = total;
    for (const [index, page] of this.#pages) {
      if (index * pageRows >= total) this.#pages.delete(index);
      else if ((index + 1) * pageRows > firstRow) page.isFresh = false;
    }
  }

  row(index: number): TimelineRow | undefined {
    return this.#pages.get(Math.floor(index / pageRows))?.rows[index % pageRows];
  }

  /** Returns a bar for each run that was running during any of the rows read so far. */
  bars(): Iterable<RunBar> {
    return this.#bars.values();
  }

  /** Reads the rows in this range that are missing or outdated. */
  want(from: number, to: number): void {
    const last = Math.min(to, this.#total);
    for (let index = Math.floor(Math.max(0, from) / pageRows); index * pageRows < last; index++) {
      const page = this.#pages.get(index) ?? { rows: [], isFresh: false, isReading: false };
      // Moves the page to the end: pages are in order of last use.
      this.#pages.delete(index);
      this.#pages.set(index, page);
      if (!page.isFresh && !page.isReading) void this.#read(index, page);
    }
    for (const index of this.#pages.keys()) {
      if (this.#pages.size <= maxPages) break;
      this.#pages.delete(index);
    }
  }

  async #read(index: number, page: Page): Promise<void> {
    page.isReading = true;
    page.isFresh = true;
    try {
      const query = { from: index * pageRows, to: (index + 1) * pageRows };
      const answer = await this.#connection.sendRequest(readRows, query);
      page.rows = answer.rows;
      for (const bar of answer.bars) this.#bars.set(bar.runId, bar);
    } catch (error) {
      // Reports the error. The rows are requested again when the session next changes.
      this.#events.failed(error instanceof Error ? error.message : String(error));
    }
    page.isReading = false;
    this.#events.changed();
  }
}
