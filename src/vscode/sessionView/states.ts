/**
 * Computes the state of a session after any of its events, by applying events to the nearest stored
 * earlier state.
 */
import { applyEvent, initialState } from '../../compose/foldJournal.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';

/**
 * Number of events per stored state, which limits how many events have to be applied for an answer.
 */
const keptEvery = 64;

export class SessionStates {
  readonly #events: JournalEvent[] = [];
  /** States after event 0, 64, 128 … Unchanged parts are shared between the states. */
  readonly #kept: (SessionState | undefined)[] = [];
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
    if (this.#events.length % keptEvery === 0) this.#kept.push(this.#last);
    this.#events.push(event);
    return this.#last;
  }

  /** Returns the state after the event at `index`. */
  at(index: number): SessionState | undefined {
    if (index >= this.#events.length - 1) return this.#last;
    const start = Math.floor(index / keptEvery);
    let state = this.#kept[start];
    for (const event of this.#events.slice(start * keptEvery + 1, index + 1))
      state = next(state, event);
    return state;
  }
}

function next(state: SessionState | undefined, event: JournalEvent): SessionState | undefined {
  if (state !== undefined) return applyEvent(state, event);
  return event.type === 'session.started' ? initialState(event) : undefined;
}
