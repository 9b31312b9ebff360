/**
 * Derives from the journal which runs still have to be killed because of an alarm, and which alarms
 * wake the session.
 */
import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import type { Alarm, RunState, SessionState } from '../journal/state.ts';

/** Answers of the user to the question whether a run may continue after an alarm. */
export const killAnswer = 'kill';
export const goOnAnswer = 'let it run';

/**
 * Returns the runs that have not ended although a watchdog, or the user in answer to a watchdog's
 * question, decided to kill them. Includes decisions made in an earlier process.
 */
export function condemnedRuns({
  runs,
  questions,
}: Pick<SessionState, 'runs' | 'questions'>): RunState[] {
  const said = new Set<RunId>();
  for (const { runId, answer } of questions.values())
    if (runId !== undefined && answer !== undefined && isKill(answer.text)) said.add(runId);
  return [...runs.values()].filter(
    ({ spec, verdict, notStarted, alarms }) =>
      verdict === undefined &&
      notStarted === undefined &&
      (said.has(spec.id) || alarms.some(({ action }) => action === 'kill')),
  );
}

const isKill = (answer: string): boolean => answer.trim().toLowerCase() === killAnswer;

export interface AlarmNews {
  readonly runId: RunId;
  readonly action: Alarm['action'];
  /** For example `run 7: loss became NaN at step 120`. */
  readonly text: string;
}

interface Heard {
  readonly runs: Map<RunId, { readonly number: number; readonly sweepId: string | undefined }>;
  /** Alarms of sweeps that were already added, as `<sweep id> <alarm kind>`. */
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
  },
);

/**
 * Adds an alarm to the unheard ones. The points of a sweep are many and similar, so alarms that
 * kill a point are omitted (the sweep's table shows them), and other alarms are added only once per
 * kind.
 */
function hear(
  heard: Heard,
  { runId, kind, action, detail }: Extract<JournalEvent, { type: 'run.alarmed' }>,
): void {
  const { number, sweepId } = heard.runs.get(runId) ?? {};
  if (sweepId !== undefined && (action === 'kill' || heard.ofSweeps.has(`${sweepId} ${kind}`)))
    return;
  heard.ofSweeps.add(`${sweepId} ${kind}`);
  heard.unheard.push({ runId, action, text: `run ${number ?? runId}: ${detail}` });
}

/**
 * Returns the alarms that the model has not read yet, and that should wake a sleeping session:
 * those since the last model request and the last wake.
 */
export const unheardAlarms = (events: readonly JournalEvent[]): readonly AlarmNews[] =>
  heardOf(events).unheard;
