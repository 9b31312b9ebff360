import 'vscode-jsonrpc/browser';
import { connect, type PanelPort } from '../../src/protocol/connect.ts';
import { Panel } from './panel.ts';
import type { StateStore } from './viewState.ts';

interface VsCodeApi extends StateStore {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

const port: PanelPort = {
  post: (message) => api.postMessage(message),
  onMessage(listener) {
    const onMessage = (event: MessageEvent<unknown>): void => listener(event.data);
    window.addEventListener('message', onMessage);
    return { dispose: () => window.removeEventListener('message', onMessage) };
  },
};

const connection = connect(port);
const panel = new Panel(connection, api);
document.body.append(panel.root);
connection.listen();
void panel.load();
