/** Follows the journal of a session, whichever process writes to it. Never writes. */
import { delay, type Clock } from '../../base/clock.ts';
import type { Home } from '../../storage/home.ts';
import type { SessionId } from '../../base/ids.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import type { JournalEvent, SessionEvent } from './events.ts';

export interface FollowedEvents {
  /** New events, oldest first. Each event is yielded once. */
  readonly events: readonly JournalEvent[];
  /** True when all events in the journal so far have been yielded; `events` is then empty. */
  readonly isUpToDate: boolean;
}

/** Milliseconds between two reads of the journal. */
const everyMs = 400;

/**
 * Yields the existing events, then new events until the signal aborts. Rejects when the journal
 * cannot be read.
 */
export async function* followJournal(
  { home, clock }: { readonly home: Home; readonly clock: Clock },
  id: SessionId,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvents, void, void> {
  const follower = new JournalFollower<SessionEvent>(home.journalFile(id));
  const yieldedIds = new Set<string>();
  while (!signal.aborted) {
    let isFirst = yieldedIds.size === 0;
    for await (const piece of follower.read()) {
      const events = (piece.events as readonly JournalEvent[]).filter(
        (event) => !yieldedIds.has(event.id),
      );
      for (const event of events) yieldedIds.add(event.id);
      if (events.length > 0) yield { events, isUpToDate: false };
      isFirst ||= events.length > 0;
    }
    if (isFirst) yield { events: [], isUpToDate: true };
    await delay(clock, everyMs, signal).catch(() => undefined);
  }
}
