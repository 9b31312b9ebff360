/** Tells work from talk: how long the session has gone on without a new run, file change or memory write. */
import type { JournalEvent } from './events.ts';

/** A turn with tools, but without progress, counts one; a turn of text alone counts as many as this. */
const talkWeight = 6;

export interface Idleness {
  /** Turns in a row that ended without a tool call. */
  readonly talkTurns: number;
  readonly score: number;
}

/** Counted since the last progress. Anything a person says starts the count anew. */
export function idleness(events: readonly JournalEvent[]): Idleness {
  let talkTurns = 0;
  let score = 0;
  for (const event of events) {
    if (isProgress(event)) {
      talkTurns = 0;
      score = 0;
    } else if (event.type === 'model.replied' && event.stop !== 'error' && event.stop !== 'aborted') {
      const hasCalls = event.content.some((block) => block.type === 'tool_call');
      talkTurns = hasCalls ? 0 : talkTurns + 1;
      score += hasCalls ? 1 : talkWeight;
    }
  }
  return { talkTurns, score };
}

export const isIdleTooLong = (idle: Idleness, idleTurns: number): boolean => idle.score >= idleTurns * talkWeight;

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
