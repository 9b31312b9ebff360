/** What is on its way to one channel: one at a time, and not too many. */
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Channel } from './channel.ts';
import { summed, type Message } from './notification.ts';
import { TokenBucket } from './tokenBucket.ts';

export interface OutboxOptions {
  readonly channel: Channel;
  readonly clock: Clock;
  /** Told of every message that did not arrive. */
  onFailed(error: unknown): void;
}

/** Five at once, then one every two minutes. */
const burst = 5;
const refillMs = 120_000;
/** So many are remembered while they wait; of more than that the oldest go. */
const maxWaiting = 500;

export class Outbox implements Disposable {
  readonly #options: OutboxOptions;
  readonly #bucket: TokenBucket;
  /** For lack of a token. */
  #waiting: Message[] = [];
  #next: Disposable | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket({ clock: options.clock, capacity: burst, refillMs });
  }

  /** Never throws. What waits for its turn is sent as one that says how many they are. */
  post(message: Message): void {
    if (this.#waiting.length === 0 && this.#bucket.take()) {
      this.#send(message);
      return;
    }
    this.#waiting = [...this.#waiting, message].slice(-maxWaiting);
    this.#next ??= this.#options.clock.after(this.#bucket.msUntilNext(), () => this.#sendWaiting());
  }

  /** In its turn, whatever else was sent. Rejects when it does not arrive. */
  tell(message: Message): Promise<void> {
    const told = this.#sending.then(() => this.#options.channel.send(message));
    this.#sending = told.catch(() => undefined);
    return told;
  }

  /** Resolves when nothing is on its way any more; what waits goes on waiting. Never rejects. */
  get settled(): Promise<void> {
    return this.#sending;
  }

  /** What waits for its turn does so no longer. */
  flush(): void {
    this.#next?.dispose();
    this.#next = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    const [first, ...others] = waiting;
    if (first !== undefined) this.#send(others.length === 0 ? first : summed(waiting, 'Helios'));
  }

  /** What waits is not sent any more. */
  dispose(): void {
    this.#next?.dispose();
  }

  #sendWaiting(): void {
    this.#bucket.take();
    this.flush();
  }

  #send(message: Message): void {
    this.tell(message).catch((error: unknown) => this.#options.onFailed(error));
  }
}
