/**
 * Which sessions should be worked on, from the last lines of their journals: asked when Helios
 * starts, before anything else goes on, it depends on no index, which may be missing, old or
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
/** What usually holds the last decision of a journal. */
const tailBytes = 16 * 1024;

/**
 * Events after which a session is over, waits for a user, or is at work: the newest of them tells,
 * as `fold.ts` has it. A message counts when it is a user's.
 */
const decisive =
  /"type":"(?:session\.(?:started|paused|ended)|model\.requested|sleep\.started|message\.added)"/g;

/** Of `ids`, in their order. A journal that cannot be read is told, and left out. */
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

/** False, too, where no session has begun. */
export async function isUnfinished(journalFile: string): Promise<boolean> {
  for await (const line of linesBackwards(journalFile, [decisive], { blockBytes: tailBytes })) {
    const event = parseEvent<SessionEvent>(line);
    const answer = event && isAtWorkAfter(event);
    if (answer !== undefined) return answer;
  }
  return false;
}

/** `undefined` where the event does not tell. */
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
