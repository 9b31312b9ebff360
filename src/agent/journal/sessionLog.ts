/**
 * Journal, events and state of one session in memory, always consistent: an event is first written
 * to disk, then folded, then fired.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { UserFacing } from '../../base/errors.ts';
import { Journal } from '../../storage/journal.ts';
import { isPassing, StorageFailure } from '../../storage/storageFailure.ts';
import type { JournalEvent, SessionEvent } from './events.ts';
import { applyEvent, foldSession } from './fold.ts';
import type { SessionState } from './state.ts';

/** Milliseconds between attempts to write to a failing disk. */
const triesAgainMs = 5_000;

/**
 * Called once with the failure when events cannot be recorded, and with `undefined` when they can
 * be again.
 */
export type OnStall = (failure: StorageFailure | undefined) => void;

interface Stall {
  readonly failure: StorageFailure;
  /** Resolves when it is time to retry. Rejects with the failure when waiting was given up. */
  readonly next: PromiseWithResolvers<void>;
  readonly timer: Disposable;
}

/**
 * Creates the error for a journal without its first line, the only one with the goal, the model and
 * the folder.
 */
export const withoutStart = (file: string): UserFacing =>
  new UserFacing(
    `The start of the session is missing or damaged in ${file}, so it cannot be read or resumed.`,
    'Restore the file from a copy, or start the goal again. Its runs are not affected.',
  );

interface Read {
  readonly file: string;
  readonly events: readonly JournalEvent[];
  readonly damage: readonly string[];
}

export class SessionLog {
  readonly #journal: Journal<SessionEvent>;
  readonly #events: JournalEvent[];
  readonly #recorded = new Emitter<JournalEvent>();
  #state: SessionState;
  readonly damage: readonly string[];
  #isSealed = false;
  readonly #clock: Clock;
  /** `undefined` while writes do not wait for the disk. */
  #onStall: OnStall | undefined;
  #stall: Stall | undefined;
  #isStallTold = false;

  private constructor(journal: Journal<SessionEvent>, clock: Clock, read: Read) {
    const events = [...read.events];
    const state = foldSession(events);
    if (state === undefined) throw withoutStart(read.file);
    this.#journal = journal;
    this.#clock = clock;
    this.#events = events;
    this.#state = state;
    this.damage = read.damage;
  }

  /**
   * Opens an existing journal, or creates one with `first`. Throws `StorageFailure`, and
   * `UserFacing` for a journal without its start.
   */
  static async open(
    file: string,
    clock: Clock,
    first?: Extract<SessionEvent, { type: 'session.started' }>,
  ): Promise<SessionLog> {
    const { journal, reading } = await Journal.open<SessionEvent>(file, clock);
    try {
      const events = [...(reading.events as readonly JournalEvent[])];
      if (first !== undefined) events.push(await journal.append(first));
      return new SessionLog(journal, clock, { file, events, damage: reading.damage });
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Oldest first. Grows as events are recorded. */
  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  get onDidRecord(): Event<JournalEvent> {
    return this.#recorded.event;
  }

  /**
   * Resolves when the event is on disk and part of `state`. Rejects with `StorageFailure`; then
   * nothing has changed. Between `persist` and `giveUp`, an event that cannot be written waits
   * until it can, and later events wait as well.
   */
  readonly record = async (event: SessionEvent): Promise<void> => {
    for (;;) {
      if (this.#stall !== undefined) await this.#stall.next.promise;
      try {
        return await this.recordNow(event);
      } catch (error) {
        if (this.#onStall === undefined || !isPassing(error)) throw error;
        this.#wait(error);
      }
    }
  };

  /** Like `record`, but rejects at once when the disk fails. For actions of the user. */
  async recordNow(event: SessionEvent): Promise<void> {
    if (this.#isSealed)
      throw new StorageFailure(
        'owned',
        'This session is no longer open here. Resume it to continue.',
      );
    const recorded: JournalEvent = await this.#journal.append(event);
    this.#events.push(recorded);
    this.#state = applyEvent(this.#state, recorded);
    if (this.#isStallTold) this.#onStall?.(undefined);
    this.#isStallTold = false;
    this.#recorded.fire(recorded);
  }

  /**
   * Makes `record` wait for the disk from now on: a running session continues by itself once there
   * is space again.
   */
  persist(onStall: OnStall): void {
    this.#onStall = onStall;
  }

  /** Stops waiting for the disk. Pending writes reject. */
  giveUp(): void {
    this.#onStall = undefined;
    this.#isStallTold = false;
    this.#stall?.timer.dispose();
    this.#stall?.next.reject(this.#stall.failure);
    this.#stall = undefined;
  }

  /** Records nothing from now on. */
  seal(): void {
    this.#isSealed = true;
    this.giveUp();
  }

  async close(): Promise<void> {
    this.seal();
    this.#recorded.dispose();
    await this.#journal.close();
  }

  #wait(failure: StorageFailure): void {
    if (this.#stall !== undefined) return;
    const next = Promise.withResolvers<void>();
    const timer = this.#clock.after(triesAgainMs, () => {
      this.#stall = undefined;
      next.resolve();
    });
    this.#stall = { failure, next, timer };
    if (!this.#isStallTold) this.#onStall?.(failure);
    this.#isStallTold = true;
  }
}
