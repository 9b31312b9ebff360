/**
 * Limits the concurrent sessions of one connection to what the server allows; further callers
 * queue.
 */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';

/**
 * Below OpenSSH's default of 10. The difference is reserved for ending commands, which must not
 * queue.
 */
const defaultLimit = 8;
/** Minimum limits of a server for sessions that stay open. */
const roomForStreams = 4;
const roomForOneShell = 2;
/** Time for which a server may still count a session whose end it has reported. */
const clearingMs = 100;
/**
 * A server that refused may have more room later: after each such time without a refusal, the limit
 * is doubled.
 */
const recoveryMs = 60_000;

export interface ChannelSlot extends Disposable {
  /** Marks the session of this slot as granted by the server. */
  opened(): void;
}

/** Sessions that stay open: a `shell`, or `files`, which yield to it. */
export type StreamKind = 'shell' | 'files';

interface Stream {
  readonly kind: StreamKind;
  close(): void;
}

export interface ChannelSlotsOptions {
  /**
   * Allows one session at a time besides those that stay open, for servers that close a new session
   * when another ends at the same moment.
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
  /** Times at which recently closed sessions were closed. */
  #closedMs: number[] = [];
  #waiting: (() => void)[] = [];
  readonly #streams = new Set<Stream>();

  constructor(clock: Clock, options: ChannelSlotsOptions = {}) {
    this.#clock = clock;
    this.isOneByOne = options.isOneByOne ?? false;
    this.#max = this.isOneByOne ? 1 : defaultLimit;
    this.#limit = this.#max;
  }

  /** Resolves with a slot; disposing returns it. Rejects with the signal's reason while queued. */
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
   * Returns whether a session may stay open: with little room only one shell, with a limit of one
   * none.
   */
  hasRoomFor(kind: StreamKind): boolean {
    this.#recover();
    if (this.isOneByOne || this.#limit >= roomForStreams) return true;
    return kind === 'shell' && this.#limit >= roomForOneShell && this.#shell === undefined;
  }

  /**
   * Registers an open session; calls `close` when the server turns out to have too little room for
   * it.
   */
  stay(stream: Stream): Disposable {
    this.#streams.add(stream);
    this.#makeRoom();
    return toDisposable(() => this.#streams.delete(stream));
  }

  /**
   * Lowers the limit after the server refused a session that had a slot. The new limit is the
   * number of other sessions in use plus, unless refusals are frequent, sessions that the server
   * may not have cleared yet.
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
    const kept = this.#limit >= roomForOneShell ? this.#shell : undefined;
    for (const stream of [...this.#streams]) if (stream !== kept) stream.close();
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
