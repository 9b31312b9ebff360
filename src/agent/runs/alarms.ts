/**
 * Derives from the journal which runs still have to be killed because of an alarm, and which alarms
 * wake the session.
 */
import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import type { Alarm, RunState, SessionState } from '../journal/state.ts';
import { runName } from '../../runs/run.ts';

/** Answer to a watchdog's question: kill the run. */
export const killAnswer = 'kill';
/** Answer to a watchdog's question: the run continues. */
export const goOnAnswer = 'let it run';

/**
 * Returns the runs that have not ended although a watchdog, or the user in answer to a watchdog's
 * question, decided to kill them. Includes decisions made in an earlier process.
 */
export function condemnedRuns({
  runs,
  questions,
}: Pick<SessionState, 'runs' | 'questions'>): RunState[] {
  const killedByUser = new Set<RunId>();
  for (const { runId, answer } of questions.values())
    if (runId !== undefined && answer !== undefined && isKill(answer.text)) killedByUser.add(runId);
  return [...runs.values()].filter(
    ({ spec, verdict, notStarted, alarms }) =>
      verdict === undefined &&
      notStarted === undefined &&
      (killedByUser.has(spec.id) || alarms.some(({ action }) => action === 'kill')),
  );
}

const isKill = (answer: string): boolean => answer.trim().toLowerCase() === killAnswer;

export interface AlarmNews {
  /** Omitted for a sweep that was paused. */
  readonly runId?: RunId;
  readonly action: Alarm['action'];
  /** For example `run 7: loss became NaN at step 120`. */
  readonly text: string;
}

interface Heard {
  readonly runs: Map<RunId, { readonly number: number; readonly sweepId: string | undefined }>;
  /** Kinds of alarms that were already added for each sweep, as `<sweep id> <alarm kind>`. */
  readonly ofSweeps: Set<string>;
  unheard: AlarmNews[];
}

const heardOf = growingFold<JournalEvent, Heard>(
  () => ({ runs: new Map(), ofSweeps: new Set(), unheard: [] }),
  (heard, event) => {
    if (event.type === 'run.planned')
      heard.runs.set(event.spec.id, { number: event.spec.number, sweepId: event.spec.sweep?.id });
    if (event.type === 'model.requested' || event.type === 'sleep.ended') heard.unheard = [];
    if (event.type === 'run.alarmed') hear(heard, event);
    if (event.type === 'sweep.paused')
      heard.unheard.push({
        action: 'warn',
        text: `sweep ${event.sweepId} is paused: ${event.why}`,
      });
  },
);

/**
 * Adds an alarm to the alarms that the model has not read yet. Of the points of a sweep, which are
 * many and similar, adds only one alarm per kind. Omits alarms that kill a point, because the table
 * of the sweep shows them.
 */
function hear(
  heard: Heard,
  { runId, kind, action, detail }: Extract<JournalEvent, { type: 'run.alarmed' }>,
): void {
  const { number, sweepId } = heard.runs.get(runId) ?? {};
  if (sweepId !== undefined && (action === 'kill' || heard.ofSweeps.has(`${sweepId} ${kind}`)))
    return;
  heard.ofSweeps.add(`${sweepId} ${kind}`);
  heard.unheard.push({ runId, action, text: `${runName(number ?? runId)}: ${detail}` });
}

/**
 * Returns the alarms that the model has not read yet, and that should wake a sleeping session: the
 * alarms since the last model request or wake.
 */
export const unheardAlarms = (events: readonly JournalEvent[]): readonly AlarmNews[] =>
  heardOf(events).unheard;
