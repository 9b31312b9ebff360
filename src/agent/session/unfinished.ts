/**
 * Finds unfinished sessions by reading the last lines of their journals. Does not use the index:
 * this search is the first step when Helios starts, and the index may be missing, outdated or
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
/**
 * Number of bytes that are read at a time from the end of a journal. One block usually contains the
 * last decisive event.
 */
const tailBytes = 16 * 1024;

/**
 * Matches the events that decide whether a session has ended, waits for the user, or is at work.
 * The newest of these events decides, as in `fold.ts`. Of the messages, only those of the user
 * match.
 */
const decisive =
  /"type":"(?:session\.(?:started|paused|ended)|model\.requested|sleep\.started|message\.added)"/g;

/**
 * Resolves with the ids of the unfinished sessions among `ids`, in the same order. Logs and skips
 * journals that cannot be read.
 */
export async function unfinishedOf(
  home: Home,
  ids: readonly SessionId[],
  logger: Pick<Logger, 'warn'>,
): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (let first = 0; first < ids.length; first += journalsAtOnce) {
    const batch = ids.slice(first, first + journalsAtOnce);
    const answers = await Promise.all(batch.map((id) => isUnfinishedOrTold(home, id, logger)));
    found.push(...batch.filter((_, index) => answers[index]));
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

/**
 * Resolves with true when the session in the journal is unfinished, and with false for an ended or
 * paused session and for a journal that contains no session.
 */
export async function isUnfinished(journalFile: string): Promise<boolean> {
  for await (const line of linesBackwards(journalFile, [decisive], { blockBytes: tailBytes })) {
    const event = parseEvent<SessionEvent>(line);
    const answer = event && isAtWorkAfter(event);
    if (answer !== undefined) return answer;
  }
  return false;
}

/**
 * Returns whether the session is at work after the event; `undefined` when the event does not
 * decide this.
 */
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
