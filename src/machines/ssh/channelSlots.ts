/**
 * How many sessions a server lets one connection have at a time. Who finds no room waits in turn.
 */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';

/** Below OpenSSH's default of 10: the rest is for ending commands, which must not wait for them. */
const defaultLimit = 8;
/** Sessions that stay open need a server that has room for others beside them. */
const roomForStreams = 4;
const roomForOneShell = 2;
/** A server counts a session for a while after it has told of its end. */
const clearingMs = 100;
/**
 * A server that refused may have more room later: after each such time without a refusal twice as
 * much is tried.
 */
const recoveryMs = 60_000;

export interface ChannelSlot extends Disposable {
  /** The server has given a session for it. */
  opened(): void;
}

/** What stays open: a `shell`, or `files`, which give way to it. */
export type StreamKind = 'shell' | 'files';

interface Stream {
  readonly kind: StreamKind;
  close(): void;
}

export interface ChannelSlotsOptions {
  /**
   * For servers that close a session when another ends at that moment: one at a time, beside those
   * that stay.
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
  /** When those that are closed since lately were. */
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
   * Resolves with the slot; disposing gives it back. Rejects with the signal's reason while it
   * waits.
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

  /** Where there is room for few, one shell may stay; where there is room for one, nothing. */
  hasRoomFor(kind: StreamKind): boolean {
    this.#recover();
    if (this.isOneByOne || this.#limit >= roomForStreams) return true;
    return kind === 'shell' && this.#limit >= roomForOneShell && this.#shell === undefined;
  }

  /**
   * Calls `close` when the server turns out to have, or has already, too little room for it to stay
   * open.
   */
  stay(stream: Stream): Disposable {
    this.#streams.add(stream);
    this.#makeRoom();
    return toDisposable(() => this.#streams.delete(stream));
  }

  /**
   * The server refused a session while the caller held a slot for it: it allows what others have,
   * and, unless the caller has been refused often, what it may not have cleared up yet.
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
