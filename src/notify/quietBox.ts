/**
 * What one channel is not told in its quiet hours: told as one when they end, by this process or by
 * the next.
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
  /** Rejects when it does not arrive. */
  send(message: Message): Promise<void>;
  onFailed(error: unknown): void;
}

/**
 * Where the other side cannot be reached when they end, such as before the network is there again.
 */
const againMs = 10 * 60_000;
const longestMs = 24 * 3_600_000;
/** So many are told of one night; of more than that the oldest go. */
const maxHeld = 500;

export class QuietBox implements Disposable {
  readonly #options: QuietBoxOptions;
  /** What could not be written. */
  #kept: readonly HeldMessage[] = [];
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

  /** What is held until then is told then. */
  releaseAt(untilMs: number): void {
    if (this.#isDisposed) return;
    this.#release?.dispose();
    const { clock } = this.#options;
    this.#release = clock.after(untilMs - clock.now(), () => this.#do(() => this.#tell()));
  }

  /** Resolves when nothing is written or sent any more. Never rejects. */
  get settled(): Promise<void> {
    return this.#working;
  }

  /** What is held stays on disk. */
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
      this.#kept = [...this.#kept, held].slice(-maxHeld);
      throw error;
    }
  }

  async #tell(): Promise<void> {
    const { clock, send, onFailed } = this.#options;
    const taken = await this.#take();
    const unwritten = this.#kept;
    const held = [...taken.messages, ...unwritten].slice(-maxHeld);
    const later = quietAgain(held, clock.now());
    if (later !== undefined) {
      this.releaseAt(later);
      return taken.giveBack();
    }
    if (held.length === 0) return;
    this.#kept = [];
    try {
      await send(
        summed(
          held.map(({ message }) => message),
          'While it was quiet',
        ),
      );
    } catch (error) {
      onFailed(error);
      const isYoung = ({ message }: HeldMessage): boolean => clock.now() - message.atMs < longestMs;
      if (error instanceof NotifyFailure && error.reason === 'unreachable' && held.some(isYoung)) {
        this.#kept = unwritten;
        this.releaseAt(clock.now() + againMs);
        return taken.giveBack();
      }
    }
    await taken.forget();
  }

  /** Nothing where it cannot be read. */
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

/** They ended while no process was there, and the next ones have begun. */
function quietAgain(held: readonly HeldMessage[], nowMs: number): number | undefined {
  const ends = held.map(({ quietHours }) => quietHours && quietUntil(quietHours, nowMs));
  return ends.find((endMs) => endMs !== undefined);
}
