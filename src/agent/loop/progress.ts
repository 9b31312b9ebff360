/** Measures how long the session has worked without a new run, file change or memory write. */
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/**
 * Number that a turn without a tool call adds to the score of idleness. A turn with tool calls but
 * without progress adds 1.
 */
const talkWeight = 6;

export interface Idleness {
  /** Consecutive turns without a tool call. */
  readonly talkTurns: number;
  /** Sum of the scores of the turns since the last progress: see `talkWeight`. */
  readonly score: number;
}

/**
 * Minimum duration of a sleep, with an active run, that is treated as progress. A shorter sleep is
 * treated as polling.
 */
const patientMs = 60_000;

/**
 * Returns for how many turns the session has been idle since its last progress. A message of the
 * user resets the count.
 */
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

/** Detects sleeps during which the session waited for an active run. */
class Waits {
  readonly #going = new Set<string>();
  #sinceMs: number | undefined;

  /**
   * True when the event ends a sleep that began while a run was active and lasted at least
   * `patientMs`.
   */
  endsPatiently(event: JournalEvent): boolean {
    if (event.type === 'run.started') this.#going.add(event.runId);
    if (event.type === 'run.ended') this.#going.delete(event.runId);
    if (event.type === 'sleep.started') this.#sinceMs = this.#going.size > 0 ? event.at : undefined;
    if (event.type !== 'sleep.ended' || this.#sinceMs === undefined) return false;
    return event.at - this.#sinceMs >= patientMs;
  }
}
