/**
 * Finds sessions that should be worked on, from the last lines of their journals. Runs when Helios
 * starts, before anything else, so it does not use the index, which may be missing, stale or
 * damaged.
 */
import { adviceOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Home } from '../../storage/home.ts';
import { parseEvent } from '../../storage/journal.ts';
import { linesBackwards } from '../../storage/linesBackwards.ts';
import type { SessionEvent } from '../journal/events.ts';

const journalsAtOnce = 32;
/** Block size that usually contains the last decisive event of a journal. */
const tailBytes = 16 * 1024;

/**
 * Events that decide whether a session has ended, waits for the user, or is at work. The newest one
 * counts, as in `fold.ts`. Messages count only when the user wrote them.
 */
const decisive =
  /"type":"(?:session\.(?:started|paused|ended)|model\.requested|sleep\.started|message\.added)"/g;

/**
 * Returns the unfinished ones of `ids`, in their order. Logs and skips journals that cannot be
 * read.
 */
export async function unfinishedOf(
  home: Home,
  ids: readonly SessionId[],
  logger: Pick<Logger, 'warn'>,
): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (let first = 0; first < ids.length; first += journalsAtOnce) {
    const some = ids.slice(first, first + journalsAtOnce);
    const answers = await Promise.all(some.map((id) => isUnfinishedOrTold(home, id, logger)));
    found.push(...some.filter((_, index) => answers[index]));
  }
  return found;
}

async function isUnfinishedOrTold(
  home: Home,
  id: SessionId,
  logger: Pick<Logger, 'warn'>,
): Promise<boolean> {
  try {
    return await isUnfinished(home.journalFile(id));
  } catch (error) {
    logger.warn(`The journal of ${id} cannot be read: ${adviceOf(error)}`);
    return false;
  }
}

/** True when the session of a journal is unfinished; false also for a journal without a session. */
export async function isUnfinished(journalFile: string): Promise<boolean> {
  for await (const line of linesBackwards(journalFile, [decisive], { blockBytes: tailBytes })) {
    const event = parseEvent<SessionEvent>(line);
    const answer = event && isAtWorkAfter(event);
    if (answer !== undefined) return answer;
  }
  return false;
}

/** Returns `undefined` when the event does not decide. */
function isAtWorkAfter(event: SessionEvent): boolean | undefined {
  switch (event.type) {
    case 'session.paused':
    case 'session.ended':
      return false;
    case 'session.started':
    case 'model.requested':
    case 'sleep.started':
      return true;
    case 'message.added':
      return event.origin === 'person' ? true : undefined;
    default:
      return undefined;
  }
}
