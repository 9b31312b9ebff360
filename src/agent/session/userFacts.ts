/** Records facts that the user states: the target, sticky notes, and earlier results. */
import { UserFacing } from '../../base/errors.ts';
import { readResultsTsv } from '../../experiments/resultsTsv.ts';
import { otherTarget } from '../../experiments/target/otherTarget.ts';
import type { Target } from '../../experiments/target/target.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

const maxStickies = 20;

export const recordTarget = (log: SessionLog, target: Target): Promise<void> =>
  log.recordNow({ type: 'session.target_changed', target, by: 'person' });

type Message = Pick<
  Extract<JournalEvent, { type: 'message.added' }>,
  'text' | 'isUnsaid' | 'attachments'
>;

/**
 * Records a message of the user. If it states another target than the one in force, also records
 * that the target has not changed.
 */
export async function recordMessage(log: SessionLog, message: Message): Promise<void> {
  const { target } = log.state;
  await log.recordNow({ type: 'message.added', origin: 'person', ...message });
  const stated = target && otherTarget(message.text, target);
  if (target === undefined || stated === undefined) return;
  await log.recordNow({ type: 'session.target_kept', target, stated });
}

/**
 * Imports earlier results, and resolves with their number. Rejects with `UserFacing` for an invalid
 * text.
 */
export async function importResults(
  log: SessionLog,
  text: string,
  source: string,
): Promise<number> {
  const results = readResultsTsv(text, source);
  if (results.length > 0) await log.recordNow({ type: 'results.imported', source, results });
  return results.length;
}

/**
 * Pins a note, and resolves with its number. Rejects with `UserFacing` if there are too many notes.
 */
export async function pinNote(log: SessionLog, text: string): Promise<number> {
  const { stickies } = log.state;
  if (stickies.size >= maxStickies)
    throw new UserFacing(
      `There are already ${stickies.size} sticky notes, which is the maximum.`,
      'Remove a sticky note first.',
    );
  const usedNumbers = log.events.flatMap((event) =>
    event.type === 'note.pinned' ? [event.number] : [],
  );
  const number = Math.max(0, ...usedNumbers) + 1;
  await log.recordNow({ type: 'note.pinned', number, text });
  return number;
}

/** Removes a note. Resolves with false if there is no such note. */
export async function unpinNote(log: SessionLog, number: number): Promise<boolean> {
  if (!log.state.stickies.has(number)) return false;
  await log.recordNow({ type: 'note.unpinned', number });
  return true;
}
