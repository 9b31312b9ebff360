import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface HttpProxyOptions {
  /** `user:password` that it asks for. */
  readonly login?: string;
  /** Host → port on this computer: names that exist behind this proxy alone. */
  readonly hosts?: Readonly<Record<string, number>>;
}

/** A real forward proxy on loopback: tunnels by CONNECT, forwards plain requests. */
export class TestProxy {
  /** Host and port of each request that it let through, oldest first. */
  readonly passed: string[] = [];
  readonly #options: HttpProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((asked, answer) => this.#forward(asked, answer));

  static async start(options: HttpProxyOptions = {}): Promise<TestProxy> {
    const proxy = new TestProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(options: HttpProxyOptions) {
    this.#options = options;
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('connect', (asked: IncomingMessage, socket: Socket) =>
      this.#tunnel(asked, socket),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  #isAllowed({ headers }: IncomingMessage): boolean {
    const { login } = this.#options;
    const given = headers['proxy-authorization'];
    return login === undefined || given === `Basic ${Buffer.from(login).toString('base64')}`;
  }

  #tunnel(asked: IncomingMessage, socket: Socket): void {
    if (!this.#isAllowed(asked)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    this.passed.push(asked.url ?? '');
    const [host = '', port] = (asked.url ?? '').split(':');
    const onward = connect(this.#options.hosts?.[host] ?? Number(port), '127.0.0.1');
    this.#keep(onward);
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      pipeline(onward, socket, onward, () => undefined);
    });
  }

  #forward(asked: IncomingMessage, answer: ServerResponse): void {
    if (!this.#isAllowed(asked)) {
      answer.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    const { hostname, port, host, pathname, search } = new URL(asked.url ?? '');
    this.passed.push(host);
    const onward = request(
      {
        port: this.#options.hosts?.[hostname] ?? port,
        path: pathname + search,
        method: asked.method,
        headers: asked.headers,
      },
      (heard) => {
        answer.writeHead(heard.statusCode ?? 502, heard.headers);
        pipeline(heard, answer, () => undefined);
      },
    );
    onward.on('error', () => answer.destroy());
    pipeline(asked, onward, () => undefined);
  }
}
