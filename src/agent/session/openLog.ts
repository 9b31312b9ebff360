import { redactValue } from '../../base/secrets/redactValue.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Home } from '../../storage/home.ts';
import type { SessionEvent } from '../journal/events.ts';
import { SessionLog } from '../journal/sessionLog.ts';
import type { SharedDeps } from './sessionDeps.ts';

interface LogDeps {
  readonly home: Home;
  readonly shared: Pick<SharedDeps, 'clock' | 'secrets' | 'storedSecrets'>;
}

/**
 * Opens the journal of a session, or creates it with `first` as its first event. Removes the user's
 * secrets from everything that is written. Rejects like `SessionLog.open`.
 */
export async function openLog(
  { home, shared }: LogDeps,
  id: SessionId,
  first?: Extract<SessionEvent, { type: 'session.started' }>,
): Promise<SessionLog> {
  const { clock, secrets, storedSecrets } = shared;
  if (first !== undefined) await storedSecrets.learn(first.workFolder);
  const log = await SessionLog.open(home.journalFile(id), clock, first, (event) =>
    redactValue(event, secrets),
  );
  if (first === undefined) await storedSecrets.learn(log.state.workFolder);
  return log;
}
