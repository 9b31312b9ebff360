/**
 * Manages the one shared connection to a host. Opens the connection on first use, and again after
 * it was lost.
 */
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';
import type { ChannelOptions, CommandHost } from '../remote/commandHost.ts';
import { Handshake } from './handshake.ts';
import { connectionLost, openChannel, unreachable } from './openChannel.ts';
import { ProxyStream } from './proxyCommand.ts';
import { isLoginRefused, RetryGate } from './retryGate.ts';
import type { SshPrompts } from './sshAuth.ts';
import { SshChannels } from './sshChannels.ts';
import type { SshTarget } from './sshConfig.ts';

export interface SshConnectionDeps {
  readonly prompts: SshPrompts;
  readonly clock?: Clock;
  /**
   * Connection to the last jump host; absent for a direct connection. The caller disposes this
   * connection.
   */
  readonly through?: SshConnection;
  /** Returns 0 ≤ x < 1; spreads the retries of many hosts. */
  readonly random?: () => number;
}

export type SshState =
  | { readonly kind: 'idle' | 'connecting' | 'connected' }
  | { readonly kind: 'down'; readonly failure: MachineFailure };

/**
 * A connection that is lost within this time after it was opened is considered a failed attempt:
 * the delay before the next attempt keeps growing.
 */
const steadyMs = 5000;

export class SshConnection implements CommandHost, Disposable {
  readonly target: SshTarget;
  readonly #clock: Clock;
  readonly #through: SshConnection | undefined;
  readonly #gate: RetryGate;
  readonly #channels: SshChannels;
  readonly #handshake: Handshake;
  readonly #changes = new Emitter<SshState>();
  readonly onDidChange: Event<SshState> = this.#changes.event;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  /** Number of callers that wait for the connection and allow prompts. */
  #promptingCallers = 0;
  /** True after a successful connection. A lost connection is then restored automatically. */
  #staysConnected = false;
  #next: Disposable | undefined;
  #lastLogin: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(target: SshTarget, deps: SshConnectionDeps) {
    this.target = target;
    this.#clock = deps.clock ?? systemClock;
    this.#through = deps.through;
    this.#gate = new RetryGate(this.#clock, deps.random ?? Math.random);
    this.#handshake = new Handshake(
      target,
      deps.prompts,
      this.#clock,
      () => this.#promptingCallers > 0,
    );
    this.#channels = new SshChannels(
      {
        host: target.host,
        connected: () => this.#connected(),
        connectApart: () => this.#logIn(),
        isCurrent: (client) => this.#client === client,
      },
      this.#clock,
    );
  }

  get name(): string {
    return this.target.host;
  }

  get state(): SshState {
    if (this.#client) return { kind: 'connected' };
    if (this.#connecting) return { kind: 'connecting' };
    const { failure } = this.#gate;
    return failure ? { kind: 'down', failure } : { kind: 'idle' };
  }

  /** Milliseconds until the next attempt. Until then, calls fail immediately. */
  get retryAfterMs(): number {
    return this.#gate.waitMs;
  }

  /**
   * Resolves when connected. Until the next attempt is due, rejects immediately with the last
   * failure. Asks the user only with `mayAsk`; other methods never ask.
   */
  async ready({ mayAsk = false }: { readonly mayAsk?: boolean } = {}): Promise<void> {
    if (!mayAsk) return void (await this.#connected());
    const route = this.#route();
    for (const each of route) each.#promptingCallers++;
    try {
      // If an earlier attempt without prompts failed because the user could not be asked, try again
      // with prompts.
      await this.#connected().catch((error: unknown) => {
        if (!route.some((each) => each.#handshake.wantsUser)) throw error;
        for (const each of route) each.#gate.endWait();
        return this.#connected();
      });
    } finally {
      for (const each of route) each.#promptingCallers--;
    }
  }

  /** Lets the next call connect without delay, and ask the user again. */
  retry(): void {
    this.#gate.open();
    this.#handshake.forget();
    this.#through?.retry();
  }

  /**
   * Runs `command` with the user's login shell. Rejects with `MachineFailure` when the command did
   * not start; after the reason `unreachable`, however, the command may have started. Rejects with
   * the signal's reason if aborted while queued. `listen` receives the channel before the channel
   * emits any event.
   */
  exec(
    command: string,
    options: ChannelOptions,
    listen: (channel: ClientChannel) => void,
  ): Promise<ClientChannel> {
    return this.#channels.exec(command, options, listen);
  }

  /**
   * Resolves with the shared SFTP session. Rejects with `MachineFailure('denied')` if the server
   * does not offer SFTP or refuses another session.
   */
  sftp(): Promise<SFTPWrapper> {
    return this.#channels.sftp();
  }

  /**
   * Opens a stream to an address behind the host. Rejects with `MachineFailure('unreachable')` when
   * the host cannot reach that address.
   */
  async forward(host: string, port: number): Promise<Duplex> {
    const client = await this.#connected();
    try {
      const connection = {
        client,
        host: this.target.host,
        isCurrent: () => this.#client === client,
      };
      return await openChannel<Duplex>(connection, (_, done) =>
        client.forwardOut('127.0.0.1', 0, host, port, done),
      );
    } catch (error) {
      const { host: name } = this.target;
      const why =
        error instanceof MachineFailure && error.cause
          ? quotedReason(messageOf(error.cause), name, 'it gave no reason')
          : messageOf(error);
      throw unreachable(host, `${name} cannot connect to it (${why})`, error);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#next?.dispose();
    this.#client?.end();
    this.#client?.destroy();
    this.#client = undefined;
    this.#changes.dispose();
  }

  /** Returns the connections on the way to the host, this one first. */
  #route(): SshConnection[] {
    const through = this.#through;
    return [this, ...(through ? through.#route() : [])];
  }

  #connected(): Promise<Client> {
    if (this.#isDisposed)
      return Promise.reject(unreachable(this.target.host, 'its connection was closed'));
    if (this.#client) return Promise.resolve(this.#client);
    if (this.#connecting) return this.#connecting;
    if (this.#gate.failure && this.#gate.waitMs > 0) return Promise.reject(this.#gate.failure);
    this.#connecting = this.#connect().finally(() => (this.#connecting = undefined));
    this.#changes.fire(this.state);
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    try {
      const client = await this.#logIn();
      this.#adopt(client);
      return client;
    } catch (error) {
      const failure =
        error instanceof MachineFailure ? error : unreachable(this.target.host, messageOf(error));
      this.#fail(failure);
      throw failure;
    }
  }

  /** Connects and logs in once. Not for concurrent use. */
  #logIn(): Promise<Client> {
    const { host, port, proxyCommand } = this.target;
    const login = this.#lastLogin.then(async () => {
      const client = await this.#handshake.connect(async () => {
        if (this.#through) return this.#through.forward(host, port);
        return proxyCommand === undefined ? undefined : new ProxyStream(proxyCommand);
      });
      if (!this.#isDisposed) return client;
      client.destroy();
      throw unreachable(host, 'its connection was closed');
    });
    this.#lastLogin = login.catch(() => undefined);
    return login;
  }

  #adopt(client: Client): void {
    const sinceMs = this.#clock.now();
    this.#client = client;
    this.#staysConnected = true;
    this.#next?.dispose();
    this.#gate.open();
    this.#channels.restart({ isOneByOne: this.#handshake.ident.includes('dropbear') });
    client.once('close', () => {
      // Ignore the end of a client that was replaced or released.
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#channels.forget();
      if (this.#clock.now() - sinceMs >= steadyMs) this.#gate.restart();
      this.#fail(connectionLost(this.target.host));
    });
    this.#changes.fire(this.state);
  }

  #fail(failure: MachineFailure): void {
    this.#gate.close(failure);
    if (this.#isDisposed) return;
    this.#changes.fire({ kind: 'down', failure });
    this.#reconnectLater(isLoginRefused(failure));
  }

  /**
   * Reconnects automatically after the connection was lost, so that the status shows when the host
   * is reachable again. Does not reconnect after a refused login.
   */
  #reconnectLater(isRefused: boolean): void {
    this.#staysConnected &&= !isRefused;
    this.#next?.dispose();
    if (!this.#staysConnected) return;
    this.#next = this.#clock.after(this.#gate.waitMs, () => {
      // A timer may fire slightly early, so end the wait explicitly.
      this.#gate.endWait();
      this.#connected().catch(() => undefined);
    });
  }
}
