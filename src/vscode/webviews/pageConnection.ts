/**
 * The connection to the current page of a webview. VS Code destroys the page of a hidden webview,
 * so hiding ends the connection. A new connection then waits for the first request of the next
 * page.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import type { Disposable } from '../../base/disposable.ts';
import { connect, type PanelPort } from '../../protocol/connect.ts';

export interface PageOptions {
  readonly port: PanelPort;
  /** Registers the request handlers. Called for the connection to each page. */
  serve(connection: MessageConnection): void;
  /** Called when the page is destroyed. Nothing may be sent until the next page's first request. */
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

  /** The connection to the current page or, if there is none, to the next page. */
  get current(): MessageConnection {
    return this.#current;
  }

  /** Whether the page has made its first request and may receive changes. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Marks the page as ready. Called on the page's first request. */
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
      // Nothing is sent while the webview is hidden: VS Code would deliver the messages to the next
      // page, which did not request them.
      post: (message) => this.#isHidden || port.post(message),
    });
    serve(connection);
    connection.listen();
    return connection;
  }
}
