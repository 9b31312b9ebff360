/**
 * Holds back the messages of one channel during its quiet hours, and sends them as one message when
 * the hours end. If this process ends earlier, the next process sends them.
 */
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { NotifyFailure } from './channel.ts';
import type { HeldMessage, HeldMessages, HeldRoute, TakenMessages } from './heldMessages.ts';
import { summed, type Message } from './notification.ts';
import { quietUntil } from './quietHours.ts';

export interface QuietBoxOptions {
  readonly route: HeldRoute;
  readonly store: HeldMessages;
  readonly clock: Clock;
  /** Resolves with whether the user still allows the message to be sent. */
  mayTell(held: HeldMessage): Promise<boolean>;
  /** Sends a message. Rejects if the message does not arrive. */
  send(message: Message): Promise<void>;
  onFailed(error: unknown): void;
}

/**
 * Delay before another attempt if the service could not be reached, for example because the
 * computer has no network yet.
 */
const againMs = 10 * 60_000;
/** Age of the newest held message after which no further attempt is made. */
const longestMs = 24 * 3_600_000;
/**
 * Maximum number of messages that are sent at the end of quiet hours. If there are more, the oldest
 * are dropped.
 */
const maxHeld = 500;

export class QuietBox implements Disposable {
  readonly #options: QuietBoxOptions;
  /** Held messages that could not be written to disk, so they are in memory only. */
  #inMemory: readonly HeldMessage[] = [];
  #release: Disposable | undefined;
  #isDisposed = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: QuietBoxOptions) {
    this.#options = options;
  }

  hold(held: HeldMessage): void {
    this.#do(() => this.#keep(held));
    this.releaseAt(held.untilMs);
  }

  /** Schedules the held messages to be sent at `untilMs`. */
  releaseAt(untilMs: number): void {
    if (this.#isDisposed) return;
    this.#release?.dispose();
    const { clock } = this.#options;
    this.#release = clock.after(untilMs - clock.now(), () => this.#do(() => this.#tell()));
  }

  /** Resolves when no message is being written or sent. Never rejects. */
  get settled(): Promise<void> {
    return this.#working;
  }

  /** Stops the timer. Held messages stay on disk. */
  dispose(): void {
    this.#isDisposed = true;
    this.#release?.dispose();
  }

  #do(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) => this.#options.onFailed(error));
  }

  async #keep(held: HeldMessage): Promise<void> {
    try {
      await this.#options.store.put(held);
    } catch (error) {
      this.#inMemory = [...this.#inMemory, held].slice(-maxHeld);
      throw error;
    }
  }

  async #tell(): Promise<void> {
    const { clock, send, onFailed } = this.#options;
    const taken = await this.#take();
    const unwritten = this.#inMemory;
    const waiting = [...taken.messages, ...unwritten].slice(-maxHeld);
    const held = await this.#sendable(waiting);
    const later = quietAgain(held, clock.now());
    if (later !== undefined) {
      this.releaseAt(later);
      return taken.giveBack();
    }
    if (waiting.length === 0) return;
    this.#inMemory = [];
    if (held.length === 0) return taken.forget();
    try {
      await send(
        summed(
          held.map(({ message }) => message),
          'During quiet hours',
        ),
      );
    } catch (error) {
      onFailed(error);
      const isYoung = ({ message }: HeldMessage): boolean => clock.now() - message.atMs < longestMs;
      if (error instanceof NotifyFailure && error.reason === 'unreachable' && held.some(isYoung)) {
        this.#inMemory = unwritten;
        this.releaseAt(clock.now() + againMs);
        return taken.giveBack();
      }
    }
    await taken.forget();
  }

  async #sendable(held: readonly HeldMessage[]): Promise<readonly HeldMessage[]> {
    const may = await Promise.all(held.map((each) => this.#options.mayTell(each)));
    return held.filter((_each, index) => may[index]);
  }

  /** Claims the held messages on disk. Resolves with an empty list if they cannot be read. */
  async #take(): Promise<TakenMessages> {
    const { store, route, clock, onFailed } = this.#options;
    try {
      return await store.take(route, clock.now());
    } catch (error) {
      onFailed(error);
      return { messages: [], forget: () => Promise.resolve(), giveBack: () => Promise.resolve() };
    }
  }
}

/**
 * Returns when the current quiet hours end, in milliseconds since the epoch; `undefined` outside of
 * quiet hours. Messages of earlier quiet hours are still held if no process was running when those
 * hours ended.
 */
function quietAgain(held: readonly HeldMessage[], nowMs: number): number | undefined {
  const ends = held.map(({ quietHours }) => quietHours && quietUntil(quietHours, nowMs));
  return ends.find((endMs) => endMs !== undefined);
}
