/**
 * The conversation with the page of one webview, over any number of pages: a hidden page is gone in
 * VS Code, so hiding ends the conversation, and the next one begins when the next page asks.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import type { Disposable } from '../../base/disposable.ts';
import { connect, type PanelPort } from '../../protocol/connect.ts';

export interface PageOptions {
  readonly port: PanelPort;
  /** Registers what is answered; called for each page. */
  serve(connection: MessageConnection): void;
  /** Nothing is to be sent until the next page has asked. */
  onGone(): void;
}

export class PageConnection implements Disposable {
  readonly #options: PageOptions;
  #current: MessageConnection;
  #isReady = false;
  #isHidden = false;

  constructor(options: PageOptions) {
    this.#options = options;
    this.#current = this.#open();
  }

  /** With the page that is shown, or that comes next. */
  get current(): MessageConnection {
    return this.#current;
  }

  /** The page has asked, and is told of changes. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Called when a page has asked for the first time. */
  begin(): void {
    this.#isReady = true;
    this.#isHidden = false;
  }

  setVisible(isVisible: boolean): void {
    this.#isHidden = !isVisible;
    if (isVisible) return;
    this.dispose();
    this.#current = this.#open();
  }

  dispose(): void {
    this.#isReady = false;
    this.#options.onGone();
    this.#current.dispose();
  }

  #open(): MessageConnection {
    const { port, serve } = this.#options;
    const connection = connect({
      onMessage: (listener) => port.onMessage(listener),
      // VS Code keeps what is sent to a hidden panel for its next page, which never asked for it.
      post: (message) => this.#isHidden || port.post(message),
    });
    serve(connection);
    connection.listen();
    return connection;
  }
}
