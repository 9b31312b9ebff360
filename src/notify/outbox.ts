/** Queue of one channel: sends one message at a time, at a limited rate. */
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Channel } from './channel.ts';
import { summed, type Message } from './notification.ts';
import { TokenBucket } from './tokenBucket.ts';

export interface OutboxOptions {
  readonly channel: Channel;
  readonly clock: Clock;
  /** Called for each message that did not arrive. */
  onFailed(error: unknown): void;
}

/** Rate limit: a burst of five messages, then one message every two minutes. */
const burst = 5;
const refillMs = 120_000;
/** Maximum length of the queue. If it is longer, the oldest messages are dropped. */
const maxWaiting = 500;

export class Outbox implements Disposable {
  readonly #options: OutboxOptions;
  readonly #bucket: TokenBucket;
  /** Messages that wait until the rate limit allows the next one. */
  #waiting: Message[] = [];
  #next: Disposable | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#bucket = new TokenBucket({ clock: options.clock, capacity: burst, refillMs });
  }

  /**
   * Sends the message now if the rate limit allows it, otherwise queues it. Queued messages are
   * sent together as one summary. Never throws.
   */
  post(message: Message): void {
    if (this.#waiting.length === 0 && this.#bucket.take()) {
      this.#send(message);
      return;
    }
    this.#waiting = [...this.#waiting, message].slice(-maxWaiting);
    this.#next ??= this.#options.clock.after(this.#bucket.msUntilNext(), () => this.#sendWaiting());
  }

  /**
   * Sends the message after the messages that are being sent, ignoring the rate limit. Rejects if
   * the message does not arrive.
   */
  tell(message: Message): Promise<void> {
    const sending = this.#sending.then(() => this.#options.channel.send(message));
    this.#sending = sending.catch(() => undefined);
    return sending;
  }

  /**
   * Resolves when no message is being sent any more; queued messages stay queued. Never rejects.
   */
  get settled(): Promise<void> {
    return this.#sending;
  }

  /** Sends all queued messages now. */
  flush(): void {
    this.#next?.dispose();
    this.#next = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    const [first, ...others] = waiting;
    if (first !== undefined) this.#send(others.length === 0 ? first : summed(waiting, 'Helios'));
  }

  /** Drops the queued messages. */
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
