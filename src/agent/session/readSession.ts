/** Reads a session from its journal, whether or not it is open. */
import { UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { Home } from '../../storage/home.ts';
import { readJournal } from '../../storage/journal.ts';
import type { SessionReading } from '../contract/sessions.ts';
import type { JournalEvent, SessionEvent } from '../journal/events.ts';
import { foldSession } from '../journal/fold.ts';
import { withoutStart } from '../journal/sessionLog.ts';
import { foreignLedger } from '../runs/foreignLedger.ts';

/**
 * Reads a session. `ledger` is the ledger of an open session; if omitted, the ledger is read from
 * the disk. Rejects with `UserFacing` if there is no such session.
 */
export async function readSession(
  home: Pick<Home, 'journalFile' | 'runFolder'>,
  id: SessionId,
  ledger: Ledger | undefined,
): Promise<SessionReading> {
  const file = home.journalFile(id);
  const { events: read, damage } = await readJournal<SessionEvent>(file);
  const events = read as readonly JournalEvent[];
  const state = foldSession(events);
  if (state === undefined && events.length + damage.length > 0) throw withoutStart(file);
  if (state === undefined)
    throw new UserFacing(`There is no session ${id}.`, 'List the sessions to see their ids.');
  return { state, events, ledger: ledger ?? (await foreignLedger(home, state)), damage };
}
