/** The time for which no process worked on a session, because its process was dead or stood still. */
import { timeRange } from '../../base/localTime.ts';
import { counted, formatDuration } from '../../base/text.ts';
import type { JournalEvent } from './events.ts';
import type { MachineEvent } from './machineEvents.ts';
import { wentOnText } from './runText.ts';
import type { RunState, SessionState } from './state.ts';

/**
 * Returns the time in milliseconds that ended with the event: 0 for an event that follows no such
 * time. A computer that slept is treated as a crash is: runs elsewhere went on in both cases.
 */
export function downMs(event: JournalEvent): number {
  if (event.type === 'session.stood_still') return Math.max(0, event.toMs - event.fromMs);
  return event.type === 'session.resumed' && event.lastSeenAt !== undefined
    ? Math.max(0, event.at - event.lastSeenAt)
    : 0;
}

/** Minimum length of a gap in the journal that is reported. */
export const minGapMs = 5_000;

/**
 * Formats this time: `Helios was gone for 2 h 10 min (08:35:14–10:45:20); 3 runs went on.` Returns
 * `undefined` for an event that follows no crash, and if Helios was back at once. `runs` is the
 * number of runs that went on.
 */
export function downTimeText(event: JournalEvent, runs: number): string | undefined {
  const gapMs = downMs(event);
  if (gapMs < minGapMs) return undefined;
  const range = timeRange(event.at - gapMs, event.at);
  return `Helios was gone for ${formatDuration(gapMs)} (${range})${wentOnText(runs)}.`;
}

/** Formats it: `The computer slept 02:10:05–06:45:12; 2 local runs stood still`. */
export function standstillText({
  fromMs,
  toMs,
  isAsleep,
  runs,
}: Extract<MachineEvent, { type: 'session.stood_still' }>): string {
  const range = timeRange(fromMs, toMs);
  if (!isAsleep)
    return `Helios stood still ${range}: the computer slept, its clock was set, or Helios was stopped`;
  return `The computer slept ${range}${runs === 0 ? '' : `; ${counted(runs, 'local run')} stood still`}`;
}

/**
 * Returns the number of runs that went on after the last sign of the process that died. `state` may
 * be any state of the session since the resumption. Does not count runs that were lost.
 */
export function runsMeanwhile(event: JournalEvent, { runs }: Pick<SessionState, 'runs'>): number {
  const fromMs = event.at - downMs(event);
  const wentOn = ({ process, verdict, endedMs = Infinity }: RunState): boolean =>
    process !== undefined &&
    process.startedMs <= fromMs &&
    endedMs > fromMs &&
    verdict?.kind !== 'lost';
  return [...runs.values()].filter(wentOn).length;
}
