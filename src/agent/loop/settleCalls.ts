/** Records results for calls that will never run. */
import type { SessionEvent } from '../journal/events.ts';
import { pendingCalls } from '../journal/pendingCalls.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { interruptedCall } from './loop.ts';

/**
 * Records these results. Such calls exist when Helios crashed after recording a sleep, a pause or an
 * end, but before recording the result of the call.
 */
export async function settleCalls(
  log: Pick<SessionLog, 'events' | 'state' | 'record'>,
): Promise<void> {
  const { phase } = log.state;
  if (phase !== 'sleeping' && phase !== 'ended' && phase !== 'paused') return;
  const isError = phase !== 'sleeping';
  const text = isError ? 'Interrupted: the call has no result.' : 'The session slept.';
  for (const call of pendingCalls(log.events))
    await log.record({ ...interruptedCall(call, text), isError } as SessionEvent);
}
