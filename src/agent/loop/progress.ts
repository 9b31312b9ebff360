/**
 * Tells work from talk: how long the session has gone on without a new run, file change or memory
 * write.
 */
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/**
 * A turn with tools, but without progress, counts one; a turn of text alone counts as many as this.
 */
const talkWeight = 6;

export interface Idleness {
  /** Turns in a row that ended without a tool call. */
  readonly talkTurns: number;
  readonly score: number;
}

/**
 * A wait for a run that goes on is work, unless it is so short that it is a way of asking again and
 * again.
 */
const patientMs = 60_000;

/** Counted since the last progress. Anything a user says starts the count anew. */
export function idleness(events: readonly JournalEvent[]): Idleness {
  const { talkTurns, score } = countOf(events);
  return { talkTurns, score };
}

interface Count {
  talkTurns: number;
  score: number;
  readonly waits: Waits;
}

const countOf = growingFold<JournalEvent, Count>(
  () => ({ talkTurns: 0, score: 0, waits: new Waits() }),
  (count, event) => {
    if (count.waits.endsPatiently(event) || isProgress(event)) {
      count.talkTurns = 0;
      count.score = 0;
    } else if (
      event.type === 'model.replied' &&
      event.stop !== 'error' &&
      event.stop !== 'aborted'
    ) {
      const hasCalls = event.content.some((block) => block.type === 'tool_call');
      count.talkTurns = hasCalls ? 0 : count.talkTurns + 1;
      count.score += hasCalls ? 1 : talkWeight;
    }
  },
);

export const isIdleTooLong = (idle: Idleness, idleTurns: number): boolean =>
  idle.score >= idleTurns * talkWeight;

function isProgress(event: JournalEvent): boolean {
  switch (event.type) {
    case 'session.started':
    case 'run.planned':
    case 'run.ended':
      return true;
    case 'message.added':
      return event.origin === 'person';
    case 'tool.finished':
      return !event.isError && (event.changedFiles !== undefined || event.name === 'memory_write');
    default:
      return false;
  }
}

/** Tells sleeps beside a run that goes on from all others. */
class Waits {
  readonly #going = new Set<string>();
  #sinceMs: number | undefined;

  /** True for the end of a sleep that lasted, with a run going on when it began. */
  endsPatiently(event: JournalEvent): boolean {
    if (event.type === 'run.started') this.#going.add(event.runId);
    if (event.type === 'run.ended') this.#going.delete(event.runId);
    if (event.type === 'sleep.started') this.#sinceMs = this.#going.size > 0 ? event.at : undefined;
    if (event.type !== 'sleep.ended' || this.#sinceMs === undefined) return false;
    return event.at - this.#sinceMs >= patientMs;
  }
}
