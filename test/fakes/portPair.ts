import type { PanelPort } from '../../src/protocol/connect.ts';

export interface PortPair {
  readonly host: PanelPort;
  readonly view: PanelPort;
  /** What each side has posted. */
  readonly fromHost: unknown[];
  readonly fromView: unknown[];
}

/**
 * Two ports joined in memory. Messages are cloned as a browser does, so what cannot be cloned fails
 * here too.
 */
export function portPair(): PortPair {
  const fromHost: unknown[] = [];
  const fromView: unknown[] = [];
  const toHost = new Set<(message: unknown) => void>();
  const toView = new Set<(message: unknown) => void>();
  const port = (sent: unknown[], others: typeof toHost, own: typeof toHost): PanelPort => ({
    post(message) {
      const copy: unknown = structuredClone(message);
      sent.push(copy);
      queueMicrotask(() => others.forEach((listener) => listener(copy)));
    },
    onMessage(listener) {
      own.add(listener);
      return { dispose: () => own.delete(listener) };
    },
  });
  return {
    host: port(fromHost, toView, toHost),
    view: port(fromView, toHost, toView),
    fromHost,
    fromView,
  };
}
