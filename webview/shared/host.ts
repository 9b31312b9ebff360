/** VS Code's webview API: messages to and from the extension host, and a store for view state. */
import type { PanelPort } from '../../src/protocol/connect.ts';

export interface StateStore<State> {
  getState(): unknown;
  setState(state: State): void;
}

interface VsCodeApi extends StateStore<unknown> {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Opens the connection to the host. May be called only once per page. */
export function openHost(): { readonly port: PanelPort; readonly states: StateStore<unknown> } {
  const api = acquireVsCodeApi();
  const port: PanelPort = {
    post: (message) => api.postMessage(message),
    onMessage(listener) {
      const onMessage = (event: MessageEvent<unknown>): void => listener(event.data);
      window.addEventListener('message', onMessage);
      return { dispose: () => window.removeEventListener('message', onMessage) };
    },
  };
  return { port, states: api };
}
