/** Records facts that the user states: the target, sticky notes, and earlier results. */
import { UserFacing } from '../../base/errors.ts';
import { runTitle } from '../../runs/run.ts';
import {
  annotated,
  annotationText,
  isSameAnnotation,
  noAnnotation,
} from '../../experiments/runAnnotation.ts';
import { readResultsTsv } from '../../experiments/resultsTsv.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { baselinesOf } from '../../experiments/target/judgeTarget.ts';
import { targetStanding } from '../../experiments/target/neverRead.ts';
import { otherTarget } from '../../experiments/target/otherTarget.ts';
import { statedTarget } from '../../experiments/target/statedTarget.ts';
import type { Target } from '../../experiments/target/target.ts';
import type { UserLabel } from '../contract/requests.ts';
import type { JournalEvent } from '../journal/events.ts';
import { targetMessage } from '../journal/factText.ts';
import { sessionTitle } from '../journal/sessionName.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionParts } from './sessionParts.ts';

const maxStickies = 20;

type TargetDeps = Pick<SessionParts, 'sessionRuns' | 'readForTarget'> & {
  readonly log: SessionLog;
};

export const recordTarget = (
  log: SessionLog,
  target: Target,
  isOnlyBaseline = false,
): Promise<void> =>
  log.recordNow({
    type: 'session.target_changed',
    target,
    by: 'person',
    ...(isOnlyBaseline && { isOnlyBaseline }),
  });

/**
 * Records the target that the text states, or only another baseline (`baseline run 5`), and reads
 * metrics that were never read. Resolves with the target in words. `baseline` alone changes nothing.
 * Rejects with `UserFacing` for a text that is not understood.
 */
export async function changeTarget(
  text: string,
  { log, sessionRuns, readForTarget }: TargetDeps,
): Promise<{ readonly words: string; readonly isNew: boolean }> {
  const { target: before } = log.state;
  const chosen = baselineTarget(text, before, sessionRuns.ledger());
  const target = chosen ?? statedTarget(text);
  const isNew = target !== before;
  if (isNew) {
    await recordTarget(log, target, chosen !== undefined);
    await readForTarget(target);
  }
  return { words: targetStanding(log.state.target ?? target, sessionRuns.ledger()), isNew };
}

const baselineWords = /^baseline(?:\s*[:=])?(?:\s+(?:run\s*)?#?(?<run>\d+))?$/i;

/**
 * Returns the target with the baseline that the text chooses: `baseline run 5`. For `baseline`
 * alone, returns the target in force; for another text, `undefined`. Throws `UserFacing` if there is
 * no such baseline.
 */
function baselineTarget(
  text: string,
  target: Target | undefined,
  ledger: Ledger,
): Target | undefined {
  const words = baselineWords.exec(text.trim());
  if (words === null) return undefined;
  const run = words.groups?.['run'];
  const metric = target?.conditions.find(({ isRelative }) => isRelative)?.metric;
  if (target === undefined || metric === undefined)
    throw new UserFacing(
      'The target compares with no baseline.',
      'State one that does, such as: halve val_loss.',
    );
  return run === undefined ? target : withBaseline(target, Number(run), { metric, ledger });
}

function withBaseline(
  target: Target,
  baseline: number,
  { metric, ledger }: { readonly metric: string; readonly ledger: Ledger },
): Target {
  const chosen = { ...target, baseline };
  if (baselinesOf(chosen, ledger).size > 0) return chosen;
  throw new UserFacing(
    `Run ${baseline} cannot be the baseline: no ${metric} of a run that ended ok was read.`,
    'Name another run.',
  );
}

/** Records a label that differs from the one in force; see `Session.label`. */
export const recordLabel = (log: SessionLog, label: UserLabel): Promise<string> =>
  label.kind === 'rename' ? recordTitle(log, label.title) : annotateRuns(log, label);

async function recordTitle(log: SessionLog, text: string): Promise<string> {
  const title = sessionTitle(text);
  if (title !== (log.state.title ?? '')) await log.recordNow({ type: 'session.renamed', title });
  return title === '' ? 'The goal names the session again.' : 'Renamed.';
}

/** Records the annotations of all runs, or of none if one of them is unknown. */
async function annotateRuns(
  log: SessionLog,
  { runIds, ...change }: Extract<UserLabel, { kind: 'annotate' }>,
): Promise<string> {
  const changed = [...new Set(runIds)].map((runId) => {
    const run = log.state.runs.get(runId);
    if (run === undefined) throw new UserFacing(`The session has no run ${runId}.`);
    const before = run.annotation ?? noAnnotation;
    return { run, before, after: annotated(before, change) };
  });
  for (const { run, before, after } of changed)
    if (!isSameAnnotation(before, after))
      await log.recordNow({ type: 'run.annotated', runId: run.spec.id, ...after });
  return changed
    .map(
      ({ run, after }) =>
        `${runTitle(run.spec.number)}: ${annotationText(after) || 'no tags, no note'}.`,
    )
    .join(' ');
}

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
 * Records the message that tells the agent the user's target, and resolves with what the user did.
 * The message is not read as a goal, because it would be compared with the target that it states.
 */
export async function recordTargetMessage(log: SessionLog, words: string): Promise<string> {
  await log.recordNow({ type: 'message.added', origin: 'person', text: targetMessage(words) });
  return 'target changed';
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
