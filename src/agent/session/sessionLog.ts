/** Journal, events and state of one session in memory, always in step: recorded on disk first, then folded, then heard. */
import type { Clock } from '../../base/clock.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { Journal } from '../../storage/journal.ts';
import { StorageFailure } from '../../storage/storageFailure.ts';
import type { JournalEvent, SessionEvent } from '../events.ts';
import { applyEvent, foldSession } from '../fold/fold.ts';
import type { SessionState } from '../state.ts';

export class SessionLog {
  readonly #journal: Journal<SessionEvent>;
  readonly #events: JournalEvent[];
  readonly #recorded = new Emitter<JournalEvent>();
  #state: SessionState;
  readonly damage: readonly string[];
  #isSealed = false;

  private constructor(journal: Journal<SessionEvent>, events: JournalEvent[], damage: readonly string[]) {
    const state = foldSession(events);
    if (state === undefined) throw new Error('A journal must begin with session.started');
    this.#journal = journal;
    this.#events = events;
    this.#state = state;
    this.damage = damage;
  }

  /** Opens a journal that exists, or begins one with `first`. Throws `StorageFailure`. */
  static async open(
    file: string,
    clock: Clock,
    first?: Extract<SessionEvent, { type: 'session.started' }>,
  ): Promise<SessionLog> {
    const { journal, reading } = await Journal.open<SessionEvent>(file, clock);
    try {
      const events = [...(reading.events as readonly JournalEvent[])];
      if (first !== undefined) events.push(await journal.append(first));
      return new SessionLog(journal, events, reading.damage);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Oldest first; grows as events are recorded. */
  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  get onDidRecord(): Event<JournalEvent> {
    return this.#recorded.event;
  }

  /** Resolves when the event is on disk and part of `state`. Rejects with `StorageFailure`: then nothing changed. */
  readonly record = async (event: SessionEvent): Promise<void> => {
    if (this.#isSealed)
      throw new StorageFailure('owned', 'This session is not open here any more. Take it up again to go on.');
    const recorded: JournalEvent = await this.#journal.append(event);
    this.#events.push(recorded);
    this.#state = applyEvent(this.#state, recorded);
    this.#recorded.fire(recorded);
  };

  /** From now on nothing is recorded. */
  seal(): void {
    this.#isSealed = true;
  }

  async close(): Promise<void> {
    this.seal();
    this.#recorded.dispose();
    await this.#journal.close();
  }
}
