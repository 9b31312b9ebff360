/** The one connection to a host, shared by everything that happens there. Opened on first use, and again when lost. */
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { delay, systemClock, type Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure } from '../machine.ts';
import { ChannelSlots } from './channelSlots.ts';
import { Handshake } from './handshake.ts';
import type { SshPrompts } from './sshAuth.ts';
import type { SshTarget } from './sshConfig.ts';

export interface SshConnectionParts {
  readonly prompts: SshPrompts;
  readonly clock?: Clock;
  /** The next host on the way there, where it is not reached directly. Not owned. */
  readonly through?: SshConnection;
  /** 0 ≤ x < 1; spreads the retries of many. */
  readonly random?: () => number;
}

export interface SessionOptions {
  /** Counts until the command is sent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `stream`: stays open, and gives way on a server with few sessions · `urgent`: ends something, and waits for nobody.
   * Default: waits in turn. The first two reject with `denied` when there is no room.
   */
  readonly use?: 'stream' | 'urgent';
}

/** `down`: `retryAtMs` is when it is tried again at the earliest. */
export type SshState =
  | { readonly kind: 'idle' | 'connecting' | 'connected' }
  | { readonly kind: 'down'; readonly failure: MachineFailure; readonly retryAtMs: number };

const firstRetryMs = 500;
const lastRetryMs = 60_000;
/** A connection that is lost sooner counts as one that failed. */
const steadyMs = 5000;
/** RFC 4254: administratively prohibited; connect failed (OpenSSH, for one session too many); resource shortage. */
const refusals: readonly unknown[] = [1, 2, 4];
/** A server may still be clearing up after the session that has just ended. */
const refusedRetryMs = 100;
const mostRefusals = 20;

export class SshConnection implements Disposable {
  readonly target: SshTarget;
  readonly #clock: Clock;
  readonly #through: SshConnection | undefined;
  readonly #random: () => number;
  readonly #handshake: Handshake;
  readonly #changes = new Emitter<SshState>();
  readonly onDidChange: Event<SshState> = this.#changes.event;
  #slots = new ChannelSlots();
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #sftp: Promise<SFTPWrapper> | undefined;
  #failure: MachineFailure | undefined;
  #failures = 0;
  #retryAtMs = 0;
  #isDisposed = false;

  constructor(target: SshTarget, parts: SshConnectionParts) {
    this.target = target;
    this.#clock = parts.clock ?? systemClock;
    this.#through = parts.through;
    this.#random = parts.random ?? Math.random;
    this.#handshake = new Handshake(target, parts.prompts, this.#clock);
  }

  get state(): SshState {
    if (this.#client) return { kind: 'connected' };
    if (this.#connecting) return { kind: 'connecting' };
    if (this.#failure) return { kind: 'down', failure: this.#failure, retryAtMs: this.#retryAtMs };
    return { kind: 'idle' };
  }

  /** How long a call would still fail without a try. */
  get retryAfterMs(): number {
    return this.#failure ? Math.max(0, this.#retryAtMs - this.#clock.now()) : 0;
  }

  /** Resolves when there is a connection. Rejects at once, with the last failure, until it is time to try again. */
  async ready(): Promise<void> {
    await this.#connected();
  }

  /** The next call tries at once, and the person may be asked again. */
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
  exec(command: string, options: SessionOptions, listen: (channel: ClientChannel) => void): Promise<ClientChannel> {
    return this.#session((client, done) => client.exec(command, done), options, listen);
  }

  /** One for all. Rejects with `MachineFailure('denied')` where the server has none, or no room for one. */
  sftp(): Promise<SFTPWrapper> {
    if (this.#sftp) return this.#sftp;
    const opened = this.#session<SFTPWrapper>((client, done) => client.sftp(done), { use: 'stream' });
    this.#sftp = opened;
    const forget = (): void => {
      if (this.#sftp === opened) this.#sftp = undefined;
    };
    opened.then(
      (sftp) => sftp.setMaxListeners(0).once('close', forget),
      // A server without SFTP gets none while the connection lasts.
      (error: unknown) => (error instanceof MachineFailure && error.reason === 'denied' ? undefined : forget()),
    );
    return opened;
  }

  /** A stream to an address that the host reaches. */
  async forward(host: string, port: number): Promise<Duplex> {
    const client = await this.#connected();
    return this.#open<Duplex>(client, (done) => client.forwardOut('127.0.0.1', 0, host, port, done));
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#client?.end();
    this.#client?.destroy();
    this.#client = undefined;
    this.#changes.dispose();
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
      const { host, port } = this.target;
      const client = await this.#handshake.connect(await this.#through?.forward(host, port));
      if (this.#isDisposed) {
        client.destroy();
        throw unreachable(host, 'it is not used any more');
      }
      this.#adopt(client);
      return client;
    } catch (error) {
      const failure = error instanceof MachineFailure ? error : unreachable(this.target.host, messageOf(error));
      this.#fail(failure);
      throw failure;
    }
  }

  #adopt(client: Client): void {
    const sinceMs = this.#clock.now();
    this.#client = client;
    this.#failure = undefined;
    this.#slots = new ChannelSlots();
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

  /** The first retry after a steady connection comes soon, and each further one later. */
  #fail(failure: MachineFailure): void {
    const longestMs = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures);
    this.#failures++;
    this.#failure = failure;
    this.#retryAtMs = this.#clock.now() + longestMs * (0.5 + this.#random() / 2);
    if (!this.#isDisposed) this.#changes.fire({ kind: 'down', failure, retryAtMs: this.#retryAtMs });
  }

  async #session<T extends ClientChannel | SFTPWrapper>(
    begin: (client: Client, done: Done<T>) => void,
    { signal, use }: SessionOptions,
    listen?: (channel: T) => void,
  ): Promise<T> {
    let refused = 0;
    for (;;) {
      const client = await abortable(this.#connected(), signal);
      const slots = this.#slots;
      if (use === 'stream' && !slots.hasRoomForStreams)
        throw new MachineFailure('denied', `${this.target.host} allows too few sessions to keep one open.`);
      const onOpen = (channel: T): void => {
        channel.once('close', () => slot.dispose());
        listen?.(channel);
        if (use !== 'stream') return;
        const stays = slots.onNoRoom(() => channel.end());
        channel.once('close', () => stays.dispose());
      };
      const slot = use === 'urgent' ? { dispose: (): void => undefined } : await slots.take(signal);
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
        const hasOthers = isRefusal(error) && use === undefined && slots.lower();
        slot.dispose();
        if (!isRefusal(error) || use !== undefined || ++refused > mostRefusals) throw error;
        // One that waits in turn gets its slot when another has ended.
        if (!hasOthers) await delay(this.#clock, refusedRetryMs);
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
    return new MachineFailure('denied', `${this.target.host} opened no session: ${error.message}.`, { cause: error });
  }
}

type Done<T> = (error: Error | undefined, channel: T) => void;

const unreachable = (host: string, why: string): MachineFailure =>
  new MachineFailure('unreachable', `${host} cannot be reached: ${why}.`);

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
