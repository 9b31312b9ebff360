/** VS Code's API for a page: a port to the host, and a store for how the user arranged the page. */
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
