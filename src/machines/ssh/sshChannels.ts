/**
 * Opens the channels of a connection: as many at a time as the server allows, with retries after a
 * refusal.
 */
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import { delay, type Clock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import type { ChannelOptions } from '../remote/commandHost.ts';
import {
  ChannelSlots,
  type ChannelSlot,
  type ChannelSlotsOptions,
  type StreamKind,
} from './channelSlots.ts';
import { connectionLost, isRefusal, noRoom, openChannel, type Begin } from './openChannel.ts';

/**
 * Delay before a refused session is tried again: the server may still be clearing up a session that
 * just ended.
 */
const fullRetryMs = 100;
/** Number of refusals of one session from which refusals are frequent; see `ChannelSlots.lower`. */
const fewRefusals = 5;
/** Maximum number of times that a refused session is tried again. */
const maxRefusals = 20;
/**
 * Maximum number of times that a refused session of the kind that stays open is tried again. Lower,
 * because Helios can do without such a session.
 */
const maxStreamRefusals = 3;

export interface ConnectionSource {
  /** Name of the host, for messages. */
  readonly host: string;
  /** Resolves with the shared connection, and opens it if needed. Rejects with `MachineFailure`. */
  connected(): Promise<Client>;
  /** Opens a separate connection for one caller. Rejects with `MachineFailure`. */
  connectApart(): Promise<Client>;
  /** Returns whether `client` is the shared connection. */
  isCurrent(client: Client): boolean;
}

type SessionOptions = ChannelOptions & { readonly kind: StreamKind };

export class SshChannels {
  readonly #source: ConnectionSource;
  readonly #clock: Clock;
  #slots: ChannelSlots;
  #sftp: Promise<SFTPWrapper> | undefined;

  constructor(source: ConnectionSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#slots = new ChannelSlots(clock);
  }

  /** Resets the slots for a new connection. */
  restart(options: ChannelSlotsOptions): void {
    this.#slots = new ChannelSlots(this.#clock, options);
  }

  /** Forgets the SFTP session after the connection was lost. */
  forget(): void {
    this.#sftp = undefined;
  }

  /** See `SshConnection.exec`. */
  exec(
    command: string,
    options: ChannelOptions,
    listen: (channel: ClientChannel) => void,
  ): Promise<ClientChannel> {
    const begin: Begin<ClientChannel> = (client, done) => client.exec(command, done);
    const session = this.#session(begin, { ...options, kind: 'shell' }, listen);
    if (options.use !== 'urgent') return session;
    return session.catch((error: unknown) => {
      if (isRefusal(error)) return this.#apart(begin, listen);
      throw error;
    });
  }

  /** See `SshConnection.sftp`. */
  sftp(): Promise<SFTPWrapper> {
    if (this.#sftp) return this.#sftp;
    const begin: Begin<SFTPWrapper> = (client, done) => client.sftp(done);
    const opened = this.#session(begin, { use: 'stream', kind: 'files' });
    this.#sftp = opened;
    const forget = (): void => {
      if (this.#sftp === opened) this.#sftp = undefined;
    };
    opened.then(
      (sftp) => sftp.setMaxListeners(0).once('close', forget),
      // Remember that the server has no SFTP, so that it is not tried again on this connection.
      (error: unknown) => {
        const isMissing =
          error instanceof MachineFailure && error.reason === 'denied' && !isRefusal(error);
        if (!isMissing) forget();
      },
    );
    return opened;
  }

  /**
   * Runs the command on a separate connection, because the server allows no more sessions on the
   * shared one.
   */
  async #apart(
    begin: Begin<ClientChannel>,
    listen: (channel: ClientChannel) => void,
  ): Promise<ClientChannel> {
    const client = await this.#source.connectApart();
    try {
      const channel = await this.#open(client, begin, listen);
      channel.once('close', () => client.end());
      return channel;
    } catch (error) {
      client.end();
      throw error;
    }
  }

  async #session<T extends ClientChannel | SFTPWrapper>(
    begin: Begin<T>,
    options: SessionOptions,
    listen?: (channel: T) => void,
  ): Promise<T> {
    const { signal, use, kind } = options;
    for (let refused = 0; ; refused++) {
      const client = await abortable(this.#source.connected(), signal);
      const slots = this.#slots;
      if (use === 'stream' && !slots.hasRoomFor(kind)) throw noRoom(this.#source.host);
      const slot = waitsForNobody(options, slots) ? noSlot : await slots.take(signal);
      try {
        if (!this.#source.isCurrent(client)) throw connectionLost(this.#source.host);
        return await this.#open(client, begin, (channel) => {
          slot.opened();
          channel.once('close', () => slot.dispose());
          listen?.(channel);
          if (use !== 'stream') return;
          const stays = slots.stay({ kind, close: () => channel.end() });
          channel.once('close', () => stays.dispose());
        });
      } catch (error) {
        if (isRefusal(error) && use !== 'urgent') slots.lower({ isOften: refused >= fewRefusals });
        slot.dispose();
        if (!isRefusal(error) || refused >= maxRefusalsOf(options)) throw error;
        await delay(this.#clock, fullRetryMs);
      }
    }
  }

  #open<T>(client: Client, begin: Begin<T>, onOpen: (channel: T) => void): Promise<T> {
    const { host } = this.#source;
    return openChannel(
      { client, host, isCurrent: () => this.#source.isCurrent(client) },
      begin,
      onOpen,
    );
  }
}

const noSlot: ChannelSlot = { opened: () => undefined, dispose: () => undefined };

const waitsForNobody = ({ use }: SessionOptions, { isOneByOne }: ChannelSlots): boolean =>
  use === 'urgent' || (use === 'stream' && isOneByOne);

function maxRefusalsOf({ use }: SessionOptions): number {
  if (use === undefined) return maxRefusals;
  return use === 'stream' ? maxStreamRefusals : 0;
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  const over = Promise.withResolvers<never>();
  const onAbort = (): void => over.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, over.promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
}
