import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';

/**
 * Returns the runs that ended since the last wake before the sleep, also while the model was
 * answering.
 */
export function endedSinceWake(
  sleepId: string,
  events: readonly JournalEvent[],
): ReadonlySet<RunId> {
  const asleep = events.findLastIndex(
    (event) => event.type === 'sleep.started' && event.sleepId === sleepId,
  );
  const from = events.slice(0, Math.max(0, asleep)).findLastIndex(isWake);
  return new Set(
    events.slice(from + 1).flatMap((event) => (event.type === 'run.ended' ? [event.runId] : [])),
  );
}

/** Returns whether the model was told what had ended. A wake for the user's message tells nothing. */
const isWake = (event: JournalEvent): boolean =>
  event.type === 'sleep.ended' && event.why !== 'person';
