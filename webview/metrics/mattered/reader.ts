/** Reads from the host what mattered, again when runs were added, at most one request at a time. */
import type { MessageConnection } from 'vscode-jsonrpc';
import type { MatteredAnswer } from '../../../src/protocol/mattered.ts';
import { readMattered, type PanelState } from '../../../src/protocol/metricsPanel.ts';

/** Time from an answer to the next request. */
const restMs = 500;

/**
 * Returns a text that differs if the answer may differ. Values of active runs do not count, so that
 * their points cause no request.
 */
export function factsOf({ runs, decisive }: PanelState, runIds: readonly string[]): string {
  const wanted = new Set(runIds);
  const facts = runs
    .filter(({ id, isRunning }) => wanted.has(id) && !isRunning)
    .map(({ id, group, isChampion, status, metrics }) => {
      const { last, best } = metrics[decisive?.metric ?? ''] ?? {};
      return [id, group, isChampion, status, last, best].join(' ');
    });
  return [decisive?.metric, decisive?.rule, ...facts].join('\n');
}

export class MatteredReader {
  readonly #connection: MessageConnection;
  readonly #onChange: () => void;
  #key: string | undefined;
  #next: { readonly key: string; readonly runIds: readonly string[] } | undefined;
  #isBusy = false;
  answer: MatteredAnswer | undefined;
  problem: string | undefined;

  constructor(connection: MessageConnection, onChange: () => void) {
    this.#connection = connection;
    this.#onChange = onChange;
  }

  /** Requests the answer unless it is there. `key`: see `factsOf`. */
  want(key: string, runIds: readonly string[]): void {
    if (key === this.#key) return;
    this.#key = key;
    this.#next = { key, runIds };
    if (!this.#isBusy) void this.#read();
  }

  retry(): void {
    this.#key = undefined;
    this.problem = undefined;
    this.#onChange();
  }

  async #read(): Promise<void> {
    this.#isBusy = true;
    while (this.#next !== undefined) {
      const { key, runIds } = this.#next;
      this.#next = undefined;
      try {
        this.answer = await this.#connection.sendRequest(readMattered, { runIds });
        this.problem = undefined;
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error);
      }
      if (key === this.#key) this.#onChange();
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    this.#isBusy = false;
  }
}
