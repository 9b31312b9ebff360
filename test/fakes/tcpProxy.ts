import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough, Transform } from 'node:stream';

/**
 * Stands between a client and a port of this computer, and can fall silent without closing
 * anything.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isSilent = false;

  /** With `upBytesPerSecond`, a slow way up with 2 MB of room before it. */
  static async to(port: number, upBytesPerSecond?: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port, upBytesPerSecond);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(port: number, upBytesPerSecond: number | undefined) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      if (upBytesPerSecond === undefined) this.#join(near, far);
      else this.#joinSlowly(near, far, upBytesPerSecond);
      this.#join(far, near);
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /**
   * What is sent from now on arrives nowhere, in either direction, also on new connections; neither
   * side is told.
   */
  silence(): void {
    this.#isSilent = true;
  }

  /**
   * New connections work again. Those that lost something stay silent for ever, as when a router
   * forgot them.
   */
  restore(): void {
    this.#isSilent = false;
  }

  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #joinSlowly(from: Socket, to: Socket, bytesPerSecond: number): void {
    this.#sockets.add(from);
    const slow = new Transform({
      transform: (bytes: Buffer, _encoding, done) =>
        void setTimeout(() => done(null, bytes), (bytes.length / bytesPerSecond) * 1000),
    });
    from
      .pipe(new PassThrough({ highWaterMark: 2_000_000 }))
      .pipe(slow)
      .pipe(to);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let hasLost = false;
    from.on('data', (bytes: Buffer) => {
      hasLost ||= this.#isSilent;
      if (!hasLost) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!hasLost && !this.#isSilent) to.destroy();
    });
  }
}
