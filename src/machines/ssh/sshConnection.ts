/** The one connection to a host, shared by everything that happens there. Opened on first use, and again when lost. */
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { delay, systemClock, type Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import { backoffMs } from '../../base/retries.ts';
import { MachineFailure } from '../machine.ts';
import type { ChannelOptions, CommandHost } from '../remote/commandHost.ts';
import { ChannelSlots, type ChannelSlot, type StreamKind } from './channelSlots.ts';
import { Handshake } from './handshake.ts';
import type { SshPrompts } from './sshAuth.ts';
import { ProxyStream } from './proxyCommand.ts';
import type { SshTarget } from './sshConfig.ts';

export interface SshConnectionParts {
  readonly prompts: SshPrompts;
  readonly clock?: Clock;
  /** The next host on the way there, where it is not reached directly. Not owned. */
  readonly through?: SshConnection;
  /** 0 ≤ x < 1; spreads the retries of many. */
  readonly random?: () => number;
}

export type SshState =
  { readonly kind: 'idle' | 'connecting' | 'connected' } | { readonly kind: 'down'; readonly failure: MachineFailure };

/** The first retry after a steady connection comes soon, and each further one later. */
const lostPolicy = { firstMs: 500, factor: 2, longestMs: 60_000, jitter: 0.5 };
/** Who was not let in and tries again and again is soon shut out. A user who acts is not kept waiting by it. */
const refusedLoginPolicy = { firstMs: 300_000, jitter: 0.5 };
/** A connection that is lost sooner counts as one that failed. */
const steadyMs = 5000;
/** RFC 4254: administratively prohibited; connect failed (OpenSSH, for one session too many); resource shortage. */
const resourceShortage = 4;
const refusals: readonly unknown[] = [1, 2, resourceShortage];
/** A server may still be clearing up after the session that has just ended. */
const fullRetryMs = 100;
const fewRefusals = 5;
const maxRefusals = 20;
/** What stays open can be done without. */
const maxStreamRefusals = 3;

export class SshConnection implements CommandHost, Disposable {
  readonly target: SshTarget;
  readonly #clock: Clock;
  readonly #through: SshConnection | undefined;
  readonly #random: () => number;
  readonly #handshake: Handshake;
  readonly #changes = new Emitter<SshState>();
  readonly onDidChange: Event<SshState> = this.#changes.event;
  #slots: ChannelSlots;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #sftp: Promise<SFTPWrapper> | undefined;
  #failure: MachineFailure | undefined;
  #failures = 0;
  #retryAtMs = 0;
  /** Those who wait for a connection on behalf of somebody who can be asked. */
  #askers = 0;
  /** There was a connection, and it comes back by itself. */
  #isKept = false;
  #next: Disposable | undefined;
  #greeting: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(target: SshTarget, parts: SshConnectionParts) {
    this.target = target;
    this.#clock = parts.clock ?? systemClock;
    this.#slots = new ChannelSlots(this.#clock);
    this.#through = parts.through;
    this.#random = parts.random ?? Math.random;
    this.#handshake = new Handshake(target, parts.prompts, this.#clock, () => this.#askers > 0);
  }

  get name(): string {
    return this.target.host;
  }

  get state(): SshState {
    if (this.#client) return { kind: 'connected' };
    if (this.#connecting) return { kind: 'connecting' };
    if (this.#failure) return { kind: 'down', failure: this.#failure };
    return { kind: 'idle' };
  }

  /** How long a call would still fail without a try. */
  get retryAfterMs(): number {
    return this.#failure ? Math.max(0, this.#retryAtMs - this.#clock.now()) : 0;
  }

  /**
   * Resolves when there is a connection. Rejects at once, with the last failure, until it is time to try again. Only with
   * `mayAsk` is the user asked anything; nothing else that is done here asks.
   */
  async ready({ mayAsk = false }: { readonly mayAsk?: boolean } = {}): Promise<void> {
    if (!mayAsk) return void (await this.#connected());
    const route = this.#route();
    for (const each of route) each.#askers++;
    try {
      // A try that began quietly may already have failed for want of a user.
      await this.#connected().catch((error: unknown) => {
        if (!route.some((each) => each.#handshake.wantsUser)) throw error;
        for (const each of route) each.#retryAtMs = 0;
        return this.#connected();
      });
    } finally {
      for (const each of route) each.#askers--;
    }
  }

  /** The next call tries at once, and the user may be asked again. */
  retry(): void {
    this.#failure = undefined;
    this.#retryAtMs = 0;
    this.#handshake.forget();
    this.#through?.retry();
  }

  /**
   * Runs `command` with the login shell of the user. Rejects with `MachineFailure` when it did not begin; with
   * `unreachable`, it may have begun. Rejects with the signal's reason while it waits. `listen` is given the channel
   * before anything that the command does.
   */
  exec(command: string, options: ChannelOptions, listen: (channel: ClientChannel) => void): Promise<ClientChannel> {
    const begin: Begin<ClientChannel> = (client, done) => client.exec(command, done);
    const session = this.#session(begin, { ...options, kind: 'shell' }, listen);
    if (options.use !== 'urgent') return session;
    return session.catch((error: unknown) => {
      if (isRefusal(error)) return this.#aside(begin, listen);
      throw error;
    });
  }

  /** One for all. Rejects with `MachineFailure('denied')` where the server has none, or no room for one. */
  sftp(): Promise<SFTPWrapper> {
    if (this.#sftp) return this.#sftp;
    const opened = this.#session<SFTPWrapper>((client, done) => client.sftp(done), {
      use: 'stream',
      kind: 'files',
    });
    this.#sftp = opened;
    const forget = (): void => {
      if (this.#sftp === opened) this.#sftp = undefined;
    };
    opened.then(
      (sftp) => sftp.setMaxListeners(0).once('close', forget),
      // A server without SFTP gets none while the connection lasts.
      (error: unknown) => {
        const isMissing = error instanceof MachineFailure && error.reason === 'denied' && !isRefusal(error);
        if (!isMissing) forget();
      },
    );
    return opened;
  }

  /** A stream to an address that the host reaches. Rejects with `MachineFailure('unreachable')` where it does not. */
  async forward(host: string, port: number): Promise<Duplex> {
    const client = await this.#connected();
    try {
      return await this.#open<Duplex>(client, (done) => client.forwardOut('127.0.0.1', 0, host, port, done));
    } catch (error) {
      const why = error instanceof MachineFailure && error.cause ? messageOf(error.cause) : messageOf(error);
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
    if (this.#isDisposed) return Promise.reject(unreachable(this.target.host, 'it is not used any more'));
    if (this.#client) return Promise.resolve(this.#client);
    if (this.#connecting) return this.#connecting;
    if (this.#failure && this.retryAfterMs > 0) return Promise.reject(this.#failure);
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
      const failure = error instanceof MachineFailure ? error : unreachable(this.target.host, messageOf(error));
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
    this.#failure = undefined;
    this.#slots = new ChannelSlots(this.#clock, { isOneByOne: this.#handshake.ident.includes('dropbear') });
    client.once('close', () => {
      // What was replaced or let go of says nothing about the present.
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#sftp = undefined;
      if (this.#clock.now() - sinceMs >= steadyMs) this.#failures = 0;
      this.#fail(unreachable(this.target.host, 'the connection was lost'));
    });
    this.#changes.fire(this.state);
  }

  #fail(failure: MachineFailure): void {
    const isRefused = failure.reason === 'auth' || failure.reason === 'host_key';
    const policy = isRefused ? refusedLoginPolicy : lostPolicy;
    this.#failure = failure;
    this.#retryAtMs = this.#clock.now() + backoffMs(policy, this.#failures++, this.#random);
    if (this.#isDisposed) return;
    this.#changes.fire({ kind: 'down', failure });
    this.#comeBack(isRefused);
  }

  /** What was there is looked for without being asked, so that it is known when it is there again. */
  #comeBack(isRefused: boolean): void {
    this.#isKept &&= !isRefused;
    this.#next?.dispose();
    if (!this.#isKept) return;
    this.#next = this.#clock.after(this.retryAfterMs, () => {
      // Timers may be early by a moment.
      this.#retryAtMs = 0;
      this.#connected().catch(() => undefined);
    });
  }

  /** On a connection for this alone: the server has no session left on ours. */
  async #aside(begin: Begin<ClientChannel>, listen: (channel: ClientChannel) => void): Promise<ClientChannel> {
    const client = await this.#greet();
    try {
      const channel = await this.#open<ClientChannel>(client, (done) =>
        begin(client, (error, opened) => {
          if (!error) listen(opened);
          done(error, opened);
        }),
      );
      channel.once('close', () => client.end());
      return channel;
    } catch (error) {
      client.end();
      throw error;
    }
  }

  async #session<T extends ClientChannel | SFTPWrapper>(
    begin: Begin<T>,
    { signal, use, kind }: ChannelOptions & { readonly kind: StreamKind },
    listen?: (channel: T) => void,
  ): Promise<T> {
    let refused = 0;
    for (;;) {
      const client = await abortable(this.#connected(), signal);
      const slots = this.#slots;
      if (use === 'stream' && !slots.hasRoomFor(kind)) throw noRoom(this.target.host);
      const onOpen = (channel: T): void => {
        slot.opened();
        channel.once('close', () => slot.dispose());
        listen?.(channel);
        if (use !== 'stream') return;
        const stays = slots.stay({ kind, close: () => channel.end() });
        channel.once('close', () => stays.dispose());
      };
      const isBeside = use === 'urgent' || (use === 'stream' && slots.isOneByOne);
      const slot = isBeside ? noSlot : await slots.take(signal);
      try {
        if (this.#client !== client) throw unreachable(this.target.host, 'the connection was lost');
        const channel = await this.#open<T>(client, (done) =>
          begin(client, (error, opened) => {
            // Now, not when the promise settles: the end of a short command comes with its beginning.
            if (!error) onOpen(opened);
            done(error, opened);
          }),
        );
        return channel;
      } catch (error) {
        if (isRefusal(error) && use !== 'urgent') slots.lower({ isOften: refused >= fewRefusals });
        slot.dispose();
        const max = use === undefined ? maxRefusals : use === 'stream' ? maxStreamRefusals : 0;
        if (!isRefusal(error) || ++refused > max) throw error;
        await delay(this.#clock, fullRetryMs);
      }
    }
  }

  /** Settles also when the connection is lost before the host has answered. */
  #open<T>(client: Client, begin: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(unreachable(this.target.host, 'the connection was lost'));
      client.once('close', onClose);
      const done: Done<T> = (error, channel) => {
        client.off('close', onClose);
        if (error) reject(this.#openFailure(client, error));
        else resolve(channel);
      };
      try {
        begin(done);
      } catch (error) {
        done(error as Error, undefined as T);
      }
    });
  }

  #openFailure(client: Client, error: Error): MachineFailure {
    if (this.#client !== client || /not connected|no response/i.test(error.message))
      return unreachable(this.target.host, 'the connection was lost');
    // The channel was closed in place of an answer.
    if (error.message === 'Unable to exec')
      return unreachable(this.target.host, 'it closed a session at once; whether the command began is not known');
    return new MachineFailure('denied', `${this.target.host} opened no session: ${error.message}.`, { cause: error });
  }
}

const noSlot: ChannelSlot = { opened: () => undefined, dispose: () => undefined };

type Done<T> = (error: Error | undefined, channel: T) => void;
type Begin<T> = (client: Client, done: Done<T>) => void;

const unreachable = (host: string, why: string, cause?: unknown): MachineFailure =>
  new MachineFailure('unreachable', `${host} cannot be reached: ${why}.`, { cause });

const noRoom = (host: string): MachineFailure =>
  new MachineFailure('denied', `${host} allows too few sessions to keep one open.`, {
    cause: Object.assign(new Error('too few sessions'), { reason: resourceShortage }),
  });

/** There was no room for a session. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof MachineFailure ? error.cause : undefined;
  return cause instanceof Error && 'reason' in cause && refusals.includes(cause.reason);
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  const over = Promise.withResolvers<never>();
  const onAbort = (): void => over.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, over.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}
