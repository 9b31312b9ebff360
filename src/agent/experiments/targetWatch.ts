/** Records when the best setting of a session first meets the target. */
import type { Disposable } from '../../base/disposable.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { judgeChampion, runsThatMeet, targetIn } from '../../experiments/target/judgeTarget.ts';
import { isOpen, type Target } from '../../experiments/target/target.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { TargetReached } from '../journal/experimentEvents.ts';
import type { SessionLog } from '../journal/sessionLog.ts';

export interface TargetWatchDeps {
  readonly log: Pick<SessionLog, 'record' | 'events' | 'state' | 'onDidRecord'>;
  ledger(): Ledger;
  /** Called when an event cannot be recorded. */
  onFailed(error: unknown): void;
}

const causes: ReadonlySet<JournalEvent['type']> = new Set([
  'run.ended',
  'run.metrics_changed',
  'experiment.decided',
  'session.target_changed',
  'message.added',
]);

/** Records `target.reached` once for each target, and again if the first runs prove invalid. */
export function watchTarget({ log, ledger, onFailed }: TargetWatchDeps): Disposable {
  return log.onDidRecord(({ type }) => {
    const { target, end } = log.state;
    if (!causes.has(type) || target === undefined || end !== undefined) return;
    if (isUnsaid(log.events)) return;
    const reached = targetReached(log.events, target, ledger());
    if (reached !== undefined) log.record(reached).catch(onFailed);
  });
}

/** Returns whether the user has changed the target, and the message that says so is still to come. */
function isUnsaid(events: readonly JournalEvent[]): boolean {
  const last = events.findLast(({ type }) => sayings.has(type));
  return last?.type === 'session.target_changed' && last.by === 'person';
}

/** A session that is resumed after a kill gets no such message. */
const sayings: ReadonlySet<JournalEvent['type']> = new Set([
  'session.target_changed',
  'message.added',
  'session.resumed',
]);

/**
 * Returns the event that tells that the champion meets the target; `undefined` if it does not, if
 * the goal names no number, or if the journal tells it of a setting that still meets this target.
 */
export function targetReached(
  events: readonly JournalEvent[],
  target: Target,
  ledger: Ledger,
): TargetReached | undefined {
  if (target.conditions.length === 0 || isOpen(target)) return undefined;
  const best = judgeChampion(target, ledger);
  if (best?.isMet !== true) return undefined;
  const stated = targetIn(target, ledger);
  const meeting = runsThatMeet(target, ledger);
  const isTold = events.some(
    (event) =>
      event.type === 'target.reached' &&
      event.target === stated &&
      event.runs.some((number) => meeting.includes(number)),
  );
  if (isTold) return undefined;
  const text = best.conditions.map((one) => one.text).join('; ');
  const runs = best.runs.map(({ number }) => number);
  const reachedMs = Math.max(...best.runs.map(({ endedMs = 0 }) => endedMs));
  // A decision, a reading or a target after the runs may be what made them meet it.
  const changedMs =
    events.findLast(({ type }) => type !== 'run.ended' && causes.has(type))?.at ?? 0;
  return {
    type: 'target.reached',
    target: stated,
    text,
    runs,
    ...(reachedMs > changedMs && { reachedMs }),
  };
}
