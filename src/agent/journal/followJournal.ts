/** Follows a session while its journal grows, whichever process owns it. Only reads. */
import { delay, type Clock } from '../../base/clock.ts';
import type { Home } from '../../storage/home.ts';
import type { SessionId } from '../../base/ids.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import type { JournalEvent, SessionEvent } from './events.ts';

export interface FollowedEvents {
  /** Oldest first, each yielded once. */
  readonly events: readonly JournalEvent[];
  /** Whether all events of the journal have been yielded, including these. */
  readonly isUpToDate: boolean;
}

/** Milliseconds between two reads of the journal. */
const everyMs = 400;

/**
 * Yields all events, then new ones until the signal is aborted. Rejects when the journal cannot be
 * read.
 */
export async function* followJournal(
  { home, clock }: { readonly home: Home; readonly clock: Clock },
  id: SessionId,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvents, void, void> {
  const follower = new JournalFollower<SessionEvent>(home.journalFile(id));
  const given = new Set<string>();
  while (!signal.aborted) {
    let isFirst = given.size === 0;
    for await (const piece of follower.read()) {
      const events = (piece.events as readonly JournalEvent[]).filter(
        (event) => !given.has(event.id),
      );
      for (const event of events) given.add(event.id);
      if (events.length > 0) yield { events, isUpToDate: false };
      isFirst ||= events.length > 0;
    }
    if (isFirst) yield { events: [], isUpToDate: true };
    await delay(clock, everyMs, signal).catch(() => undefined);
  }
}
