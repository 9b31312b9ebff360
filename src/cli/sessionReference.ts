/** References to a session: its id, a prefix of the id, or its number in `helios sessions`. */
import type { Session, Sessions, SessionSummary } from '../agent/contract/sessions.ts';
import { UserFacing } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';

/** Describes a session reference, for the help of commands. */
export const sessionWords = 'an id, the beginning of an id, or a number from helios sessions';

const howTo = 'See helios sessions for their numbers and ids.';

/**
 * Finds a session; by default, the newest. Rejects with `UserFacing` if there is no such session.
 */
export async function namedSession(
  sessions: Sessions,
  reference: string | undefined,
): Promise<SessionSummary> {
  return sessionIn(await sessions.list(), reference);
}

/**
 * Finds the session in `listed`, which is sorted newest first. Throws `UserFacing` if there is no
 * such session.
 */
function sessionIn(
  listed: readonly SessionSummary[],
  reference: string | undefined,
): SessionSummary {
  const [newest] = listed;
  if (newest === undefined)
    throw new UserFacing('There is no session yet.', 'Start one with a goal: helios "…"');
  if (reference === undefined) return newest;
  if (reference.trim() === '') throw new UserFacing('The name of the session is empty.', howTo);
  const byNumber = /^#?\d{1,6}$/.test(reference)
    ? listed[Number(reference.replace('#', '')) - 1]
    : undefined;
  const found = byNumber ?? startingWith(listed, reference);
  if (found !== undefined) return found;
  throw new UserFacing(`There is no session ${reference}.`, howTo);
}

function startingWith(
  listed: readonly SessionSummary[],
  reference: string,
): SessionSummary | undefined {
  const exact = listed.find(({ id }) => id === reference);
  if (exact !== undefined) return exact;
  // Every id begins with `s-`, which the user may omit.
  const fitting = listed.filter(
    ({ id }) => id.startsWith(reference) || id.slice(2).startsWith(reference),
  );
  if (fitting.length < 2) return fitting[0];
  throw new UserFacing(
    `${fitting.length} sessions begin with ${reference}.`,
    'Type more of the id.',
  );
}

/**
 * Opens a session that has ended or is paused. Rejects with `UserFacing` for any other session:
 * opening it would also continue its work on the goal in this process.
 */
export async function idleSession(sessions: Sessions, id: SessionId): Promise<Session> {
  const { phase } = (await sessions.read(id)).state;
  if (phase === 'ended' || phase === 'paused') return sessions.resume(id);
  throw new UserFacing(
    'The session has not ended.',
    'Stop or pause it first, or use the window that runs it.',
  );
}
