import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';

/**
 * Returns the runs that ended since the last digest before the sleep, also while the model was
 * answering.
 */
export function endedSinceWake(
  sleepId: string,
  events: readonly JournalEvent[],
): ReadonlySet<RunId> {
  const asleep = events.findLastIndex(
    (event) => event.type === 'sleep.started' && event.sleepId === sleepId,
  );
  const from = events.slice(0, Math.max(0, asleep)).findLastIndex(isDigest);
  return new Set(
    events.slice(from + 1).flatMap((event) => (event.type === 'run.ended' ? [event.runId] : [])),
  );
}

/** Returns whether a digest told the model what had ended. A wake without one tells nothing. */
const isDigest = (event: JournalEvent): boolean =>
  event.type === 'message.added' && (event.origin === 'wake' || event.origin === 'monitor');
