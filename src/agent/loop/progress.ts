/** Measures how long the session has worked without a new run, file change or memory write. */
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/** Weight of a turn of text alone. A turn with tools, but without progress, counts 1. */
const talkWeight = 6;

export interface Idleness {
  /** Consecutive turns without a tool call. */
  readonly talkTurns: number;
  readonly score: number;
}

/** Shortest wait for an active run that counts as work. Shorter waits are polling. */
const patientMs = 60_000;

/** Returns the idleness since the last progress. A message of the user restarts the count. */
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

/** Recognises sleeps that wait for an active run. */
class Waits {
  readonly #going = new Set<string>();
  #sinceMs: number | undefined;

  /** True for the end of a long enough sleep that began while a run was active. */
  endsPatiently(event: JournalEvent): boolean {
    if (event.type === 'run.started') this.#going.add(event.runId);
    if (event.type === 'run.ended') this.#going.delete(event.runId);
    if (event.type === 'sleep.started') this.#sinceMs = this.#going.size > 0 ? event.at : undefined;
    if (event.type !== 'sleep.ended' || this.#sinceMs === undefined) return false;
    return event.at - this.#sinceMs >= patientMs;
  }
}
