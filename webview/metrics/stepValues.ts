/** The values of the items at a step, read from the host in parts. */
import type { MessageConnection } from 'vscode-jsonrpc';
import { readValuesAt } from '../../src/protocol/metricsTable.ts';
import type { Item } from './items.ts';

const itemsPerRead = 500;
/** Minimum time between reads of items that go on. */
const rereadEveryMs = 1000;

interface Entry {
  /** What the values depend on; those of another version are read again. */
  readonly version: string;
  readonly values: Readonly<Record<string, string>>;
}

export class StepValues {
  readonly #connection: MessageConnection;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();
  #wanted: { readonly step: number; readonly metrics: readonly string[] } | undefined;
  #items: readonly Item[] = [];
  #query = '';
  #isReading = false;
  #version = 0;

  constructor(connection: MessageConnection, onChange: () => void) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** Number that grows when values have arrived. */
  get version(): number {
    return this.#version;
  }

  /** Returns the value of the item at the step as text; empty until it was read and for none. */
  of(item: Item, metric: string): string {
    return this.#entries.get(item.id)?.values[metric] ?? '';
  }

  /** Reads the values of all items, unless they are known. `undefined` reads nothing. */
  want(step: number | undefined, metrics: readonly string[], items: readonly Item[]): void {
    const query = step === undefined ? '' : JSON.stringify([step, metrics]);
    if (query !== this.#query) this.#entries.clear();
    this.#query = query;
    this.#wanted = step === undefined ? undefined : { step, metrics };
    this.#items = items;
    if (!this.#isReading && step !== undefined) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next()) {
      const query = this.#query;
      const rows = await this.#request(batch);
      if (query !== this.#query) continue;
      batch.forEach((item, index) => {
        const cells = (this.#wanted?.metrics ?? []).map((metric, at) => [
          metric,
          rows[index]?.[at],
        ]);
        const values = Object.fromEntries(cells) as Record<string, string>;
        this.#entries.set(item.id, { version: versionOf(item), values });
      });
      this.#version++;
      this.#onChange();
    }
    // Items that go on are outdated with their next value; until then nothing is to be read.
    setTimeout(() => {
      this.#isReading = false;
      if (this.#next().length > 0) void this.#read();
    }, rereadEveryMs);
  }

  #next(): readonly Item[] {
    if (this.#wanted === undefined) return [];
    const isDue = (item: Item): boolean => this.#entries.get(item.id)?.version !== versionOf(item);
    return this.#items.filter(isDue).slice(0, itemsPerRead);
  }

  async #request(batch: readonly Item[]): Promise<readonly (readonly string[])[]> {
    const items = batch.map(({ runIds }) => ({ runIds }));
    const { step = 0, metrics = [] } = this.#wanted ?? {};
    try {
      return (await this.#connection.sendRequest(readValuesAt, { step, metrics, items })).values;
    } catch {
      return [];
    }
  }
}

const versionOf = ({ runIds, isRunning, status, metrics }: Item): string =>
  `${runIds.length} ${status} ${isRunning ? JSON.stringify(metrics) : ''}`;
