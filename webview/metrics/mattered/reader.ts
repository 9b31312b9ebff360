/** Reads from the host what mattered, again when runs were added, at most one request at a time. */
import type { MessageConnection } from 'vscode-jsonrpc';
import type { MatteredAnswer } from '../../../src/protocol/mattered.ts';
import { readMattered } from '../../../src/protocol/metricsPanel.ts';

/** Time from an answer to the next request. */
const restMs = 500;

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

  /** Requests the answer unless it is there; `key` differs if the answer may differ. */
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
