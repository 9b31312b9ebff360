/** Texts for runs: their status and their alarms. */
import { rowStatus } from '../../experiments/ledger.ts';
import { exactTime, timeRange } from '../../base/localTime.ts';
import { counted } from '../../base/text.ts';
import { verdictText } from '../../runs/run.ts';
import type { JournalEvent } from './events.ts';
import type { MachineEvent } from './machineEvents.ts';
import type { Alarm, RunState, SessionState } from './state.ts';

/** Consequence of an alarm, by the alarm's action. */
export const alarmActionText: Readonly<Record<Alarm['action'], string>> = {
  warn: '',
  kill: 'It is being stopped',
  ask: 'You are asked whether to let it run',
};

/** Returns the last alarm that killed the run or made Helios ask the user; ignores warnings. */
export const seriousAlarm = (alarms: readonly Alarm[]): Alarm | undefined =>
  alarms.findLast(({ action }) => action !== 'warn');

/**
 * Returns the status of a run of a session: `queued`, `running`, `did not start: no free slot`, or
 * how the run ended, such as `killed after the alarm: loss became NaN at step 120`.
 */
export const runStatus = ({
  verdict,
  process,
  notStarted,
  alarms,
}: Pick<RunState, 'verdict' | 'process' | 'notStarted' | 'alarms'>): string =>
  notStarted === undefined
    ? rowStatus({ verdict, startedMs: process?.startedMs, alarm: seriousAlarm(alarms) })
    : `did not start: ${notStarted}`;

/** Returns how the run of the event ended, in the words of `runStatus`. */
export const runEndText = (
  { runId, verdict }: Pick<Extract<JournalEvent, { type: 'run.ended' }>, 'runId' | 'verdict'>,
  { runs }: Pick<SessionState, 'runs'>,
): string => verdictText(verdict, seriousAlarm(runs.get(runId)?.alarms ?? []));

/** Formats an outage that goes on: `gpu1 out of reach since 2026-11-22 08:35:14; 2 runs there go on`. */
export const silenceText = ({
  machineId,
  fromMs,
  runs,
}: Extract<MachineEvent, { type: 'machine.silent' }>): string =>
  `${machineId} out of reach since ${exactTime(fromMs)}${runs === 0 ? '' : `; ${counted(runs, 'run')} there ${runs === 1 ? 'goes' : 'go'} on`}`;

/** Formats an outage: `gpu1 out of reach 08:35:14-08:35:36; 2 runs went on`. */
export const outageText = ({
  machineId,
  fromMs,
  toMs,
  runs,
}: Extract<MachineEvent, { type: 'machine.out_of_reach' }>): string =>
  `${machineId} out of reach ${timeRange(fromMs, toMs)}${wentOnText(runs)}`;

/** Returns `; 2 runs went on`; empty without runs. */
export const wentOnText = (runs: number): string =>
  runs === 0 ? '' : `; ${counted(runs, 'run')} went on`;
