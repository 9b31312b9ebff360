import type { EndReason } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { idleness, idleWarning, isIdleTooLong } from './progress.ts';

export interface IdleGuardDeps {
  readonly log: SessionLog;
  /** Turns without a tool call after which a session without progress ends. */
  readonly idleTurns: number;
  end(reason: EndReason, summary: string): Promise<void>;
}

/**
 * Warns the model of a session without progress, later ends the session. Resolves with true when
 * the session was ended.
 */
export async function endsIdle({ log, idleTurns, end }: IdleGuardDeps): Promise<boolean> {
  const idle = idleness(log.events);
  const warning = idleWarning(idle, idleTurns);
  if (warning !== undefined)
    await log.record({ type: 'message.added', origin: 'reminder', text: warning });
  if (!isIdleTooLong(idle, idleTurns)) return false;
  await end(
    'no_progress',
    'Stopped: too many turns without a run, a change on any machine, a decision or new output.',
  );
  return true;
}
