/**
 * Limits the concurrent SSH sessions of one connection to the number that the server allows.
 * Further callers wait in a queue.
 */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';

/**
 * Limit of concurrent sessions. Two below OpenSSH's default of 10, which leaves room for the
 * sessions that end a running command: these sessions do not wait in the queue.
 */
const defaultLimit = 8;
/** If the session limit is at least this number, sessions of any kind may stay open. */
const roomForStreams = 4;
/** If the session limit is at least this number, one shell may stay open. */
const roomForOneShell = 2;
/**
 * Time for which a server may still count a session after it has reported the end of the session.
 */
const clearingMs = 100;
/**
 * Time without a refusal after which the limit is doubled, because the server may allow more
 * sessions again.
 */
const recoveryMs = 60_000;

export interface ChannelSlot extends Disposable {
  /** Records that the server has opened the SSH channel of this slot. */
  opened(): void;
}

/**
 * Kind of a session that stays open: `shell`, or `files` (SFTP), which is closed first if the
 * server allows few sessions.
 */
export type StreamKind = 'shell' | 'files';

interface Stream {
  readonly kind: StreamKind;
  close(): void;
}

export interface ChannelSlotsOptions {
  /**
   * True to allow only one session at a time, besides sessions that stay open. For servers that
   * close a new session when another session ends at the same moment.
   */
  readonly isOneByOne?: boolean;
}

export class ChannelSlots {
  readonly isOneByOne: boolean;
  readonly #clock: Clock;
  readonly #max: number;
  #limit: number;
  #refusedMs = 0;
  #inUse = 0;
  /** Times at which sessions were closed recently. */
  #closedMs: number[] = [];
  #waiting: (() => void)[] = [];
  readonly #streams = new Set<Stream>();

  constructor(clock: Clock, options: ChannelSlotsOptions = {}) {
    this.#clock = clock;
    this.isOneByOne = options.isOneByOne ?? false;
    this.#max = this.isOneByOne ? 1 : defaultLimit;
    this.#limit = this.#max;
  }

  /**
   * Resolves with a slot for a session; dispose the slot when the session has ended. Rejects with
   * the signal's reason if aborted while queued.
   */
  take(signal?: AbortSignal): Promise<ChannelSlot> {
    signal?.throwIfAborted();
    this.#recover();
    if (this.#inUse < this.#limit) return Promise.resolve(this.#grant());
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(this.#grant());
      };
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== proceed);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(proceed);
    });
  }

  /**
   * Returns whether another session of this kind may stay open. Always true with `isOneByOne`.
   * Otherwise, at a limit below `roomForStreams`, only one shell may stay open, and at a limit
   * below `roomForOneShell`, no session may stay open.
   */
  hasRoomFor(kind: StreamKind): boolean {
    this.#recover();
    if (this.isOneByOne || this.#limit >= roomForStreams) return true;
    return kind === 'shell' && this.#limit >= roomForOneShell && this.#shell === undefined;
  }

  /**
   * Registers a session that stays open. Calls its `close` if the server turns out to allow too few
   * sessions.
   */
  stay(stream: Stream): Disposable {
    this.#streams.add(stream);
    this.#makeRoom();
    return toDisposable(() => this.#streams.delete(stream));
  }

  /**
   * Lowers the limit after the server refused a session that had a slot. The new limit is the
   * number of other sessions in use plus, unless refusals are frequent, the number of closed
   * sessions that the server may still count.
   */
  lower({ isOften }: { readonly isOften: boolean }): void {
    const nowMs = this.#clock.now();
    const clearing = isOften
      ? []
      : this.#closedMs.filter((closedMs) => nowMs - closedMs < clearingMs);
    this.#refusedMs = nowMs;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#inUse - 1 + clearing.length));
    this.#makeRoom();
  }

  get #shell(): Stream | undefined {
    return [...this.#streams].find(({ kind }) => kind === 'shell');
  }

  #makeRoom(): void {
    if (this.isOneByOne || this.#limit >= roomForStreams) return;
    const keptStream = this.#limit >= roomForOneShell ? this.#shell : undefined;
    for (const stream of [...this.#streams]) if (stream !== keptStream) stream.close();
  }

  #recover(): void {
    const nowMs = this.#clock.now();
    while (this.#limit < this.#max && nowMs - this.#refusedMs >= recoveryMs) {
      this.#limit = Math.min(this.#max, this.#limit * 2);
      this.#refusedMs += recoveryMs;
    }
  }

  #grant(): ChannelSlot {
    this.#inUse++;
    let isOpen = false;
    const { dispose } = toDisposable(() => {
      this.#inUse--;
      if (isOpen) this.#closedMs = [...this.#closedMs.slice(1 - defaultLimit), this.#clock.now()];
      this.#recover();
      while (this.#waiting.length > 0 && this.#inUse < this.#limit) this.#waiting.shift()?.();
    });
    return {
      dispose,
      opened: () => {
        isOpen = true;
      },
    };
  }
}
