/**
 * The one connection to a host, shared by everything that happens there. Opened on first use, and
 * again when lost.
 */
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
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
  /** The next host on the way there, where it is not reached directly. Not owned. */
  readonly through?: SshConnection;
  /** 0 ≤ x < 1; spreads the retries of many. */
  readonly random?: () => number;
}

export type SshState =
  | { readonly kind: 'idle' | 'connecting' | 'connected' }
  | { readonly kind: 'down'; readonly failure: MachineFailure };

/** A connection that is lost sooner counts as one that failed. */
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
  /** Those who wait for a connection on behalf of somebody who can be asked. */
  #askers = 0;
  /** There was a connection, and it comes back by itself. */
  #isKept = false;
  #next: Disposable | undefined;
  #greeting: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(target: SshTarget, deps: SshConnectionDeps) {
    this.target = target;
    this.#clock = deps.clock ?? systemClock;
    this.#through = deps.through;
    this.#gate = new RetryGate(this.#clock, deps.random ?? Math.random);
    this.#handshake = new Handshake(target, deps.prompts, this.#clock, () => this.#askers > 0);
    this.#channels = new SshChannels(
      {
        host: target.host,
        connected: () => this.#connected(),
        connectApart: () => this.#greet(),
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

  /** How long a call would still fail without a try. */
  get retryAfterMs(): number {
    return this.#gate.waitMs;
  }

  /**
   * Resolves when there is a connection. Rejects at once, with the last failure, until it is time
   * to try again. Only with `mayAsk` is the user asked anything; nothing else that is done here
   * asks.
   */
  async ready({ mayAsk = false }: { readonly mayAsk?: boolean } = {}): Promise<void> {
    if (!mayAsk) return void (await this.#connected());
    const route = this.#route();
    for (const each of route) each.#askers++;
    try {
      // A try that began quietly may already have failed for want of a user.
      await this.#connected().catch((error: unknown) => {
        if (!route.some((each) => each.#handshake.wantsUser)) throw error;
        for (const each of route) each.#gate.endWait();
        return this.#connected();
      });
    } finally {
      for (const each of route) each.#askers--;
    }
  }

  /** The next call tries at once, and the user may be asked again. */
  retry(): void {
    this.#gate.open();
    this.#handshake.forget();
    this.#through?.retry();
  }

  /**
   * Runs `command` with the login shell of the user. Rejects with `MachineFailure` when it did not
   * begin; with `unreachable`, it may have begun. Rejects with the signal's reason while it waits.
   * `listen` is given the channel before anything that the command does.
   */
  exec(
    command: string,
    options: ChannelOptions,
    listen: (channel: ClientChannel) => void,
  ): Promise<ClientChannel> {
    return this.#channels.exec(command, options, listen);
  }

  /**
   * One for all. Rejects with `MachineFailure('denied')` where the server has none, or no room for
   * one.
   */
  sftp(): Promise<SFTPWrapper> {
    return this.#channels.sftp();
  }

  /**
   * A stream to an address that the host reaches. Rejects with `MachineFailure('unreachable')`
   * where it does not.
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
      const why =
        error instanceof MachineFailure && error.cause ? messageOf(error.cause) : messageOf(error);
      throw unreachable(host, `${this.target.host} gets no connection to it (${why})`, error);
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

  /** The connections on the way to the host, this one first. */
  #route(): SshConnection[] {
    const through = this.#through;
    return [this, ...(through ? through.#route() : [])];
  }

  #connected(): Promise<Client> {
    if (this.#isDisposed)
      return Promise.reject(unreachable(this.target.host, 'it is not used any more'));
    if (this.#client) return Promise.resolve(this.#client);
    if (this.#connecting) return this.#connecting;
    if (this.#gate.failure && this.#gate.waitMs > 0) return Promise.reject(this.#gate.failure);
    this.#connecting = this.#connect().finally(() => (this.#connecting = undefined));
    this.#changes.fire(this.state);
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    try {
      const client = await this.#greet();
      this.#adopt(client);
      return client;
    } catch (error) {
      const failure =
        error instanceof MachineFailure ? error : unreachable(this.target.host, messageOf(error));
      this.#fail(failure);
      throw failure;
    }
  }

  /** One at a time. */
  #greet(): Promise<Client> {
    const { host, port, proxyCommand } = this.target;
    const greeting = this.#greeting.then(async () => {
      const client = await this.#handshake.connect(async () => {
        if (this.#through) return this.#through.forward(host, port);
        return proxyCommand === undefined ? undefined : new ProxyStream(proxyCommand);
      });
      if (!this.#isDisposed) return client;
      client.destroy();
      throw unreachable(host, 'it is not used any more');
    });
    this.#greeting = greeting.catch(() => undefined);
    return greeting;
  }

  #adopt(client: Client): void {
    const sinceMs = this.#clock.now();
    this.#client = client;
    this.#isKept = true;
    this.#next?.dispose();
    this.#gate.open();
    this.#channels.restart({ isOneByOne: this.#handshake.ident.includes('dropbear') });
    client.once('close', () => {
      // What was replaced or let go of says nothing about the present.
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
    this.#comeBack(isLoginRefused(failure));
  }

  /**
   * What was there is looked for without being asked, so that it is known when it is there again.
   */
  #comeBack(isRefused: boolean): void {
    this.#isKept &&= !isRefused;
    this.#next?.dispose();
    if (!this.#isKept) return;
    this.#next = this.#clock.after(this.#gate.waitMs, () => {
      // Timers may be early by a moment.
      this.#gate.endWait();
      this.#connected().catch(() => undefined);
    });
  }
}
