/**
 * The connection to one webview's page, over any number of pages. A hidden page is gone in VS Code,
 * so hiding ends the connection, and the next page's first request starts another.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import type { Disposable } from '../../base/disposable.ts';
import { connect, type PanelPort } from '../../protocol/connect.ts';

export interface PageOptions {
  readonly port: PanelPort;
  /** Registers the request handlers; called for each page. */
  serve(connection: MessageConnection): void;
  /** Nothing may be sent until the next page's first request. */
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

  /** The connection to the current or next page. */
  get current(): MessageConnection {
    return this.#current;
  }

  /** Whether the page has asked and receives changes. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Called on a page's first request. */
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
      // VS Code keeps messages to a hidden panel for its next page, which never asked for them.
      post: (message) => this.#isHidden || port.post(message),
    });
    serve(connection);
    connection.listen();
    return connection;
  }
}
