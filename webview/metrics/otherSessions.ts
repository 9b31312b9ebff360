/** The sessions whose runs are shown beside those of the panel's session. */
import type { MessageConnection } from 'vscode-jsonrpc';
import { chooseSessions, setSessions } from '../../src/protocol/metricsTable.ts';
import type { ViewStore } from '../shared/viewStore.ts';
import type { ViewState } from './viewState.ts';

export class OtherSessions {
  readonly #connection: MessageConnection;
  readonly #view: ViewStore<ViewState>;
  readonly #showProblem: (problem: string | undefined) => void;

  constructor(
    connection: MessageConnection,
    view: ViewStore<ViewState>,
    showProblem: (problem: string | undefined) => void,
  ) {
    this.#connection = connection;
    this.#view = view;
    this.#showProblem = showProblem;
  }

  /** Lets the user choose the sessions, and shows their runs. */
  async choose(): Promise<void> {
    const sessionIds = this.#view.state.addedSessions;
    const answer = await this.#connection.sendRequest(chooseSessions, { sessionIds });
    if (answer.sessionIds === undefined) return;
    this.#view.update({ addedSessions: answer.sessionIds });
    await this.#show();
  }

  /** Shows the runs of the sessions that the user chose before a reload. */
  async restore(): Promise<void> {
    if (this.#view.state.addedSessions.length > 0) await this.#show();
  }

  async #show(): Promise<void> {
    try {
      const sessionIds = this.#view.state.addedSessions;
      await this.#connection.sendRequest(setSessions, { sessionIds });
      this.#showProblem(undefined);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#showProblem(`A session is not shown: ${why}`);
    }
  }
}
