/**
 * The metrics panel without a window: the real host side, and a view's end of the conversation
 * beside it.
 */
import type { MessageConnection } from 'vscode-jsonrpc';
import { systemClock } from '../../src/base/clock.ts';
import type { Disposable } from '../../src/base/disposable.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { connect, type PanelPort } from '../../src/protocol/connect.ts';
import { PanelHost } from '../../src/vscode/metrics/panelHost.ts';
import type { PanelSource } from '../../src/vscode/metrics/panelSource.ts';

export interface PanelView extends Disposable {
  /** Register handlers, then `listen()`. */
  readonly connection: MessageConnection;
}

export function openPanel(source: PanelSource): PanelView {
  const [hostPort, viewPort] = portPair();
  const actions = { openRun: () => undefined, save: () => Promise.resolve() };
  const host = new PanelHost({
    source,
    port: hostPort,
    actions,
    clock: systemClock,
    logger: silentLogger,
  });
  const connection = connect(viewPort);
  return {
    connection,
    dispose() {
      connection.dispose();
      host.dispose();
    },
  };
}

/**
 * Messages are cloned, as between VS Code and a webview, and arrive in a later turn of the event
 * loop.
 */
export function portPair(): [PanelPort, PanelPort] {
  const listeners = [
    new Set<(message: unknown) => void>(),
    new Set<(message: unknown) => void>(),
  ] as const;
  const port = (from: 0 | 1): PanelPort => ({
    post(message) {
      const clone: unknown = structuredClone(message);
      setImmediate(() => {
        for (const listener of listeners[from === 0 ? 1 : 0]) listener(clone);
      });
    },
    onMessage(listener) {
      listeners[from].add(listener);
      return { dispose: () => void listeners[from].delete(listener) };
    },
  });
  return [port(0), port(1)];
}
