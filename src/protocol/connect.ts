/**
 * Typed connections over anything that can post messages. Both sides have to install the runtime of
 * JSON-RPC once before connecting: the host imports `vscode-jsonrpc/node`, the view imports
 * `vscode-jsonrpc/browser`.
 */
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  createMessageConnection,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageConnection,
} from 'vscode-jsonrpc';

/**
 * The message port of a webview or its host. Messages are cloned, so typed arrays arrive as typed
 * arrays.
 */
export interface PanelPort {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): Disposable;
}

/**
 * Returns a connection. The caller registers handlers, then calls `listen()`. If a handler throws,
 * the sender's request is rejected. After disposal, pending requests are rejected and nothing more
 * is posted. Messages that are not JSON-RPC are ignored.
 */
export const connect = (port: PanelPort): MessageConnection =>
  createMessageConnection(new PortReader(port), new PortWriter(port));

class PortReader extends AbstractMessageReader {
  readonly #port: PanelPort;
  #subscription: Disposable | undefined;

  constructor(port: PanelPort) {
    super();
    this.#port = port;
  }

  listen(callback: DataCallback): Disposable {
    this.#subscription = this.#port.onMessage((message) => {
      if (isMessage(message)) callback(message);
    });
    return this.#subscription;
  }

  override dispose(): void {
    this.#subscription?.dispose();
    super.dispose();
  }
}

class PortWriter extends AbstractMessageWriter {
  readonly #port: PanelPort;
  #isDisposed = false;

  constructor(port: PanelPort) {
    super();
    this.#port = port;
  }

  async write(message: Message): Promise<void> {
    // A handler may finish after its connection was disposed. Its answer is dropped, because the
    // port may already belong to the next page.
    if (!this.#isDisposed) this.#port.post(message);
  }

  end(): void {
    this.#isDisposed = true;
  }

  override dispose(): void {
    this.#isDisposed = true;
    super.dispose();
  }
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' &&
  message !== null &&
  'jsonrpc' in message &&
  message.jsonrpc === '2.0';
