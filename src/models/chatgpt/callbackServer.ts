/**
 * A temporary server on this computer: at the end of a sign-in, the service redirects the browser
 * to this server.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf, UserFacing } from '../../base/errors.ts';
import { callbackPath } from './codexService.ts';

/** The page that the browser shows after the redirect of the sign-in. */
export interface CallbackPage {
  readonly status: 200 | 400 | 409;
  readonly title: string;
  readonly text: string;
}

/** Handles the parameters of the redirect and resolves with the page to show. Never rejects. */
export type TakeCallback = (parameters: URLSearchParams) => Promise<CallbackPage>;

/**
 * The addresses of `localhost`. The server listens on all of them, because a browser may use
 * either, and a program of another user could listen on an address that is left free.
 */
const loopbacks: readonly string[] = ['127.0.0.1', '::1'];

export class CallbackServer {
  readonly port: number;
  readonly #servers: readonly Server[];

  private constructor(port: number, servers: readonly Server[]) {
    this.port = port;
    this.#servers = servers;
  }

  /**
   * Listens on the first port of `ports` that is free on all addresses of `hosts`. Ignores an
   * address that this computer does not have. Rejects with `UserFacing` when no port is free.
   */
  static async listen(
    ports: readonly number[],
    take: TakeCallback,
    hosts = loopbacks,
  ): Promise<CallbackServer> {
    for (const port of ports) {
      const servers = await listenOnAll(hosts, port, take);
      const [first] = servers;
      if (first !== undefined) return new CallbackServer(portOf(first), servers);
    }
    throw new UserFacing(
      `The sign-in needs port ${ports.join(' or ')} on this computer, but another program uses it.`,
      'Close that program (often another open sign-in, of Helios or the Codex CLI) and try again.',
    );
  }

  /**
   * Stops listening immediately, so that the port is free. A response that is being sent is still
   * completed.
   */
  close(): void {
    this.#servers.forEach(closeServer);
  }
}

/** Resolves with a server per address; with none if the port is not free on one of them. */
async function listenOnAll(
  hosts: readonly string[],
  port: number,
  take: TakeCallback,
): Promise<readonly Server[]> {
  const servers: Server[] = [];
  let chosen = port;
  for (const host of hosts) {
    const server = createServer((request, response) => void answer(request, response, take));
    try {
      server.listen(chosen, host);
      await once(server, 'listening');
      chosen = portOf(server);
      servers.push(server);
    } catch (error) {
      if (isMissing(error)) continue;
      servers.forEach(closeServer);
      if (codeOf(error) === 'EADDRINUSE') return [];
      throw error;
    }
  }
  return servers;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Returns true if this computer does not have the address, or no addresses of its kind. */
const isMissing = (error: unknown): boolean =>
  ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(error) ?? '');

function closeServer(server: Server): void {
  server.close();
  server.closeIdleConnections();
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  take: TakeCallback,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost');
  response.setHeader('connection', 'close');
  // Browsers also request an icon.
  if (request.method !== 'GET' || url.pathname !== callbackPath)
    return void response.writeHead(404).end();
  const page = await take(url.searchParams);
  response.writeHead(page.status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
  });
  response.end(html(page));
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:0 2rem;text-align:center;color-scheme:light dark}';

/** Script that removes the sign-in code from the address that the browser shows. */
const tidy = 'history.replaceState(null,"","/");';
/** Script that closes the tab if the browser allows that. */
const closing = 'setTimeout(()=>window.close(),1500);';

const html = ({ status, title, text }: CallbackPage): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>` +
  `<main><h1>${escaped(title)}</h1><p>${escaped(text)}</p></main>` +
  `<script>${tidy}${status === 200 ? closing : ''}</script></html>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
