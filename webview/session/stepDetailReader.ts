/**
 * Reads the selected step, one request at a time. If the selection changes several times during a
 * request, only the last selection is read next.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import { readStepDetail, type StepDetail } from '../../src/protocol/sessionView.ts';

export class StepDetailReader {
  readonly #connection: MessageConnection;
  readonly #show: (detail: StepDetail) => void;
  readonly #fail: (message: string) => void;
  #wanted: number | undefined;
  #isReading = false;

  constructor(
    connection: MessageConnection,
    show: (detail: StepDetail) => void,
    fail: (message: string) => void,
  ) {
    this.#connection = connection;
    this.#show = show;
    this.#fail = fail;
  }

  read(row: number): void {
    this.#wanted = row;
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#wanted !== undefined) {
        const row = this.#wanted;
        this.#wanted = undefined;
        this.#show(await this.#connection.sendRequest(readStepDetail, { row }));
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isReading = false;
    }
  }
}
