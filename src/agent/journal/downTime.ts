/** The time for which no process worked on a session, because its process had died. */
import type { JournalEvent } from './events.ts';

/** Returns this time in milliseconds: 0 for an event that follows no crash. */
export const downMs = (event: JournalEvent): number =>
  event.type === 'session.resumed' && event.lastSeenAt !== undefined
    ? Math.max(0, event.at - event.lastSeenAt)
    : 0;
