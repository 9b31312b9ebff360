/**
 * The journal of one session, with its events and state in memory. Each event is first written to
 * disk, then folded into the state, then passed to listeners.
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

/** Time between two attempts to write while the disk fails, in milliseconds. */
const triesAgainMs = 5_000;

/**
 * Called with the failure when events can no longer be recorded, and with `undefined` when they can
 * be recorded again.
 */
export type OnStall = (failure: StorageFailure | undefined) => void;

interface Stall {
  readonly failure: StorageFailure;
  /**
   * Resolves when the write should be retried. Rejects with the failure when `giveUp` is called.
   */
  readonly next: PromiseWithResolvers<void>;
  readonly timer: Disposable;
}

/**
 * Creates the error for a journal whose first line is missing. Only that line has the goal, the
 * model and the work folder.
 */
export const withoutStart = (file: string): UserFacing =>
  new UserFacing(
    `The start of the session is missing or damaged in ${file}, so it cannot be read or resumed.`,
    'Restore the file from a copy, or start the goal again. Its runs are not affected.',
  );

/** Returns the event without the secrets in its texts. */
export type RedactEvent = <Event extends SessionEvent>(event: Event) => Event;

interface Read {
  readonly file: string;
  readonly redact: RedactEvent;
  readonly events: readonly JournalEvent[];
  readonly damage: readonly string[];
}

export class SessionLog {
  readonly #journal: Journal<SessionEvent>;
  readonly #redact: RedactEvent;
  readonly #events: JournalEvent[];
  readonly #recorded = new Emitter<JournalEvent>();
  #state: SessionState;
  readonly damage: readonly string[];
  #isSealed = false;
  readonly #clock: Clock;
  /**
   * Set between `persist` and `giveUp`. In this time, `record` waits while the disk fails, instead
   * of rejecting.
   */
  #onStall: OnStall | undefined;
  #stall: Stall | undefined;
  #isStallTold = false;

  private constructor(journal: Journal<SessionEvent>, clock: Clock, read: Read) {
    const events = [...read.events];
    const state = foldSession(events);
    if (state === undefined) throw withoutStart(read.file);
    this.#journal = journal;
    this.#redact = read.redact;
    this.#clock = clock;
    this.#events = events;
    this.#state = state;
    this.damage = read.damage;
  }

  /**
   * Opens an existing journal, or creates one with `first` as its first event. Each event passes
   * through `redact` before it is written. Throws `StorageFailure`, or `UserFacing` for a journal
   * whose first line is missing.
   */
  static async open(
    file: string,
    clock: Clock,
    first?: Extract<SessionEvent, { type: 'session.started' }>,
    redact: RedactEvent = (event) => event,
  ): Promise<SessionLog> {
    const { journal, reading } = await Journal.open<SessionEvent>(file, clock);
    try {
      const events = [...(reading.events as readonly JournalEvent[])];
      if (first !== undefined) events.push(await journal.append(redact(first)));
      return new SessionLog(journal, clock, { file, redact, events, damage: reading.damage });
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get state(): SessionState {
    return this.#state;
  }

  /** All recorded events, oldest first. The list grows with each recorded event. */
  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  get onDidRecord(): Event<JournalEvent> {
    return this.#recorded.event;
  }

  /**
   * Records an event. Resolves when the event is on disk and part of `state`. If the event cannot
   * be written, changes nothing and rejects with `StorageFailure`; between `persist` and `giveUp`,
   * waits instead until the event can be written. Later events wait as well.
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

  /**
   * Records an event like `record`, but never waits for a failing disk: rejects immediately. Used
   * for actions of the user.
   */
  async recordNow(event: SessionEvent): Promise<void> {
    if (this.#isSealed)
      throw new StorageFailure(
        'owned',
        'This session is no longer open here. Resume it to continue.',
      );
    const recorded: JournalEvent = await this.#journal.append(this.#redact(event));
    this.#events.push(recorded);
    this.#state = applyEvent(this.#state, recorded);
    if (this.#isStallTold) this.#onStall?.(undefined);
    this.#isStallTold = false;
    this.#recorded.fire(recorded);
  }

  /**
   * Makes `record` wait when the disk fails, from now on. A session then continues automatically
   * when, for example, the disk has space again.
   */
  persist(onStall: OnStall): void {
    this.#onStall = onStall;
  }

  /** Stops waiting for a failing disk. Waiting calls of `record` reject. */
  giveUp(): void {
    this.#onStall = undefined;
    this.#isStallTold = false;
    this.#stall?.timer.dispose();
    this.#stall?.next.reject(this.#stall.failure);
    this.#stall = undefined;
  }

  /** Prevents all further writes to the journal. */
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
