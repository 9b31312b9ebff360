/**
 * Computes the state of a session after any of its events: applies events to the nearest earlier
 * state that is stored.
 */
import { applyEvent, initialState } from '../../compose/foldJournal.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';

/** Number of events between stored states. Computing a state applies fewer events than this. */
const storedEvery = 64;

export class SessionStates {
  readonly #events: JournalEvent[] = [];
  /** Stored states: after event 0, 64, 128 … The states share their unchanged parts in memory. */
  readonly #stored: (SessionState | undefined)[] = [];
  #last: SessionState | undefined;

  get events(): readonly JournalEvent[] {
    return this.#events;
  }

  /** State after the last event; `undefined` before `session.started`. */
  get last(): SessionState | undefined {
    return this.#last;
  }

  add(event: JournalEvent): SessionState | undefined {
    this.#last = next(this.#last, event);
    if (this.#events.length % storedEvery === 0) this.#stored.push(this.#last);
    this.#events.push(event);
    return this.#last;
  }

  /** Returns the state after the event at `index`. */
  at(index: number): SessionState | undefined {
    if (index >= this.#events.length - 1) return this.#last;
    const start = Math.floor(index / storedEvery);
    let state = this.#stored[start];
    for (const event of this.#events.slice(start * storedEvery + 1, index + 1))
      state = next(state, event);
    return state;
  }
}

function next(state: SessionState | undefined, event: JournalEvent): SessionState | undefined {
  if (state !== undefined) return applyEvent(state, event);
  return event.type === 'session.started' ? initialState(event) : undefined;
}
