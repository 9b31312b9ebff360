/**
 * A server of pages for tests of the web: real HTTP on this computer, under names that seem to be
 * public.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { Agent } from 'undici';
import type { OpenDispatcher, WebOptions } from '../../src/web/download.ts';
import { ManualClock } from './manualClock.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export class WebSite {
  readonly asked: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  static async open(handler: Handler): Promise<WebSite> {
    const site = new WebSite(handler);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  private constructor(handler: Handler) {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? '');
      this.headers.push(request.headers);
      for (const wake of this.#waiting.splice(0)) wake();
      handler(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address of a page; under a name that seems public unless told. */
  url(path: string, host = 'site.test'): string {
    return `http://${host}:${this.port}${path}`;
  }

  /** Resolves when `count` requests have come. */
  async received(count: number): Promise<void> {
    while (this.asked.length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}

export const page = (
  body: string | Buffer,
  type = 'text/html; charset=utf-8',
  headers = {},
): Handler => {
  return (_request, response) =>
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
};

export const publicAddress = '93.184.215.14';

/**
 * Names end in `.test` and have a public address. Connections ask for the address as ever, and then
 * go to this computer, but only where that is the public one: what was refused, or looked up behind
 * the back of the check, fails.
 */
export function seemingPublic(
  changes: Partial<WebOptions> = {},
): WebOptions & { readonly clock: ManualClock } {
  return {
    userAgent: 'Helios/test',
    allowsPrivateAddresses: () => false,
    resolve: () => Promise.resolve([{ address: publicAddress, family: 4 }]),
    openDispatcher: toThisComputer,
    clock: new ManualClock(),
    ...changes,
  } as WebOptions & { readonly clock: ManualClock };
}

const toThisComputer: OpenDispatcher = (lookup) =>
  Promise.resolve(new Agent({ connect: { lookup: behind(lookup) } }));

const behind =
  (lookup: LookupFunction): LookupFunction =>
  (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (error !== null) callback(error, '');
      else if (addresses.some((address) => address !== publicAddress))
        callback(new Error('not as judged'), '');
      else callback(null, [{ address: '127.0.0.1', family: 4 }]);
    });
