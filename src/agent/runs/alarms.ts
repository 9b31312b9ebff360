/** Reads the alarms of runs: which runs a session has yet to end, and which alarms wake it. */
import type { RunId } from '../../base/ids.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import type { Alarm, RunState, SessionState } from '../journal/state.ts';

/** Answers to the question whether a run may continue after an alarm. */
export const killAnswer = 'kill';
export const goOnAnswer = 'let it run';

/**
 * Returns the runs without an end that a watchdog, or the user in answer to one, decided to kill.
 * Includes those of an earlier process.
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
  /** `<sweep id> <alarm kind>` of the alarms of sweeps that were reported. */
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
 * Adds an alarm to the unheard ones. Points of a sweep are many and alike: its table reports their
 * kills, and of the other alarms only the first of each kind is added.
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
 * Returns the alarms worth a wake that no model request has reported yet, and that ended no sleep.
 */
export const unheardAlarms = (events: readonly JournalEvent[]): readonly AlarmNews[] =>
  heardOf(events).unheard;
