import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';

/**
 * Returns the runs that ended since the last digest before the sleep, also while the model was
 * answering.
 */
export const endedSinceWake = (
  sleepId: string,
  events: readonly JournalEvent[],
): ReadonlySet<RunId> =>
  new Set(
    sinceWake(sleepId, events).flatMap((event) =>
      event.type === 'run.ended' ? [event.runId] : [],
    ),
  );

/**
 * Returns the runs of which the final metrics were read since then: they ended, or their output was
 * read again.
 */
export const readSinceWake = (
  sleepId: string,
  events: readonly JournalEvent[],
): ReadonlySet<RunId> =>
  new Set(
    sinceWake(sleepId, events).flatMap((event) =>
      event.type === 'run.ended' || (event.type === 'run.metrics_changed' && event.read)
        ? [event.runId]
        : [],
    ),
  );

function sinceWake(sleepId: string, events: readonly JournalEvent[]): readonly JournalEvent[] {
  const asleep = events.findLastIndex(
    (event) => event.type === 'sleep.started' && event.sleepId === sleepId,
  );
  const from = events.slice(0, Math.max(0, asleep)).findLastIndex(isDigest);
  return events.slice(from + 1);
}

/** Returns whether a digest told the model what had ended. A wake without one tells nothing. */
const isDigest = (event: JournalEvent): boolean =>
  event.type === 'message.added' && (event.origin === 'wake' || event.origin === 'monitor');
