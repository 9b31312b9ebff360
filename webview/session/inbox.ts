/**
 * All tabs except the timeline. A tab's content is read when the tab becomes visible, and again
 * when the session changes.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import * as protocol from '../../src/protocol/sessionView.ts';
import type { LedgerTable, SessionHeader } from '../../src/protocol/sessionView.ts';
import { emptyMessage } from './emptyMessage.ts';
import { InboxTab } from './inboxTab.ts';
import { LedgerTab } from './ledgerTab.ts';
import { NotesTab } from './notesTab.ts';
import type { LedgerSort, Tab, ViewState } from './viewState.ts';

export interface InboxEvents {
  sort(sort: LedgerSort): void;
}

interface Wanted {
  readonly state: ViewState;
  readonly header: SessionHeader;
}

export class Inbox {
  readonly #connection: MessageConnection;
  readonly #ledger: LedgerTab;
  readonly #inbox: InboxTab;
  readonly #notes: NotesTab;
  #table: LedgerTable | undefined;
  #isReading = false;
  /** State of the view whose content is read next. A later call of `show` replaces this state. */
  #wanted: Wanted | undefined;

  constructor(connection: MessageConnection, events: InboxEvents) {
    this.#connection = connection;
    this.#ledger = new LedgerTab({
      sort: (sort) => events.sort(sort),
      openRun: (runId) => void connection.sendNotification(protocol.openRunOutput, { runId }),
    });
    this.#inbox = new InboxTab((questionId, answer) =>
      connection.sendRequest(protocol.answerQuestion, { questionId, answer }),
    );
    this.#notes = new NotesTab({
      pin: (text) => connection.sendRequest(protocol.pinNote, { text }),
      unpin: (number) => connection.sendRequest(protocol.unpinNote, { number }),
    });
  }

  get panels(): readonly HTMLElement[] {
    return [this.#ledger.root, this.#inbox.root, this.#notes.root];
  }

  panelOf(tab: Tab): HTMLElement | undefined {
    switch (tab) {
      case 'timeline':
        return undefined;
      case 'ledger':
        return this.#ledger.root;
      case 'inbox':
        return this.#inbox.root;
      case 'notes':
        return this.#notes.root;
    }
  }

  /** Reads and shows the content of the selected tab. Until then, the tab shows its old content. */
  show(state: ViewState, header: SessionHeader): void {
    if (state.tab === 'timeline') return;
    if (state.tab === 'ledger' && this.#table !== undefined)
      this.#ledger.render(this.#table, state.sort);
    this.#wanted = { state, header };
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let wanted = this.#wanted; wanted !== undefined; wanted = this.#wanted) {
      this.#wanted = undefined;
      try {
        await this.#readOnce(wanted.state, wanted.header);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        const { tab } = wanted.state;
        const title = `The ${tab === 'notes' ? 'sticky notes' : tab} cannot be shown`;
        this.panelOf(tab)?.replaceChildren(emptyMessage({ title, text, isProblem: true }));
      }
    }
    this.#isReading = false;
  }

  async #readOnce({ tab, sort }: ViewState, { readOnly }: SessionHeader): Promise<void> {
    if (tab === 'ledger') {
      this.#table = await this.#connection.sendRequest(protocol.readLedger);
      return this.#ledger.render(this.#table, sort);
    }
    const inbox = await this.#connection.sendRequest(protocol.readInbox);
    this.#inbox.render({ questions: inbox.questions, readOnly });
    this.#notes.render({ notes: inbox.notes, readOnly });
  }
}
