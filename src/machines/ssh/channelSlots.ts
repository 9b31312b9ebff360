/** How many sessions a server lets one connection have at a time. Who finds no room waits in turn. */
import { toDisposable, type Disposable } from '../../base/disposable.ts';

/** Below OpenSSH's default of 10: the rest is for ending commands, which must not wait for them. */
const defaultLimit = 8;
/** Sessions that stay open need a server that has room for others beside them. */
const roomForStreams = 4;

export class ChannelSlots {
  #limit = defaultLimit;
  #inUse = 0;
  #waiting: (() => void)[] = [];
  readonly #streams = new Set<() => void>();

  /** Resolves with the slot; disposing gives it back. Rejects with the signal's reason while it waits. */
  take(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
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

  get hasRoomForStreams(): boolean {
    return this.#limit >= roomForStreams;
  }

  /** Calls `close` when the server turns out to have, or has already, too little room for what stays open. */
  onNoRoom(close: () => void): Disposable {
    if (!this.hasRoomForStreams) close();
    this.#streams.add(close);
    return toDisposable(() => this.#streams.delete(close));
  }

  /** The server refused a session while the caller held a slot for it. `false`: nothing of ours is in its way. */
  lower(): boolean {
    const canWait = this.#inUse > 1;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#inUse) - 1);
    if (!this.hasRoomForStreams) for (const close of [...this.#streams]) close();
    return canWait;
  }

  #grant(): Disposable {
    this.#inUse++;
    return toDisposable(() => {
      this.#inUse--;
      if (this.#inUse < this.#limit) this.#waiting.shift()?.();
    });
  }
}
