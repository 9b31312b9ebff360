/** A session as its journal grows, whoever works on it. Reads only. */
import { delay, type Clock } from '../../base/clock.ts';
import type { Home } from '../../storage/home.ts';
import type { SessionId } from '../../base/ids.ts';
import { JournalFollower } from '../../storage/journalFollower.ts';
import type { JournalEvent, SessionEvent } from './events.ts';

export interface FollowedEvents {
  /** Oldest first, each once. */
  readonly events: readonly JournalEvent[];
  /** What is there now was given before, or is given with these. */
  readonly isUpToDate: boolean;
}

/** How often the journal is looked at. */
const everyMs = 400;

/**
 * All events, then those that are added, until the signal is aborted. Rejects when the journal
 * cannot be read.
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
