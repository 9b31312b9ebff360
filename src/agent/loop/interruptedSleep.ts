import type { EventOf } from '../journal/describeEvent.ts';
import type { JournalEvent } from '../journal/events.ts';

/**
 * Returns the sleep that a check-in of the monitor interrupted, and that continues after a turn
 * without a tool call. Returns `undefined` if there is none, or if a message of the user, a pause
 * or another sleep came after the check-in.
 */
export function interruptedSleep(
  events: readonly JournalEvent[],
): EventOf<'sleep.started'> | undefined {
  const index = events.findLastIndex(({ type }) => type === 'sleep.started');
  const sleep = events[index];
  if (sleep?.type !== 'sleep.started') return undefined;
  const later = events.slice(index + 1);
  const isCheckIn = later.some((event) => event.type === 'sleep.ended' && event.why === 'check_in');
  const isOver = later.some(
    (event) =>
      event.type === 'session.paused' ||
      event.type === 'session.ended' ||
      (event.type === 'message.added' && event.origin === 'person'),
  );
  return isCheckIn && !isOver ? sleep : undefined;
}
