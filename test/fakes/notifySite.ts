/** A web server that takes notifications, and answers as it is told. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TakenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface NotifySite {
  readonly url: string;
  readonly calls: TakenCall[];
  /** The first is for the next call; with none left it is 200. */
  readonly replies: (Reply | 'hang' | 'cut')[];
  /** Resolves when so many calls have come. */
  taken(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function notifySite(): Promise<NotifySite> {
  const calls: TakenCall[] = [];
  const replies: NotifySite['replies'] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      calls.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      });
      const reply = replies.shift() ?? { status: 200 };
      if (reply === 'cut') request.socket.destroy();
      else if (reply !== 'hang')
        response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
      for (const refresh of waiting) refresh();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    replies,
    taken: (count) =>
      new Promise((resolve) => {
        const refresh = (): void => {
          if (calls.length < count) return;
          waiting.delete(refresh);
          resolve();
        };
        waiting.add(refresh);
        refresh();
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
