/** Texts for runs: their name, and how they ended. */
import type { RunId } from '../../base/ids.ts';
import { rowStatus, type LedgerRow } from '../../experiments/ledger.ts';
import { verdictText, type Verdict } from '../../runs/run.ts';
import type { Alarm, SessionState } from './state.ts';

/** Returns the display name of a run, such as `Run 8`. */
export const runName = ({ runs }: Pick<SessionState, 'runs'>, runId: RunId): string =>
  `Run ${runs.get(runId)?.spec.number ?? runId}`;

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
 * Returns a text to append to a verdict, such as ` after the alarm: loss became NaN at step 120`.
 * Returns an empty text when no alarm ended the run.
 */
export const killedWhy = (
  verdict: Verdict,
  alarm: Pick<Alarm, 'detail' | 'action'> | undefined,
): string =>
  verdict.kind === 'killed' && alarm !== undefined && alarm.action !== 'warn'
    ? ` after the alarm: ${alarm.detail}`
    : '';

/** Describes how a run ended, such as `killed after the alarm: loss became NaN at step 120`. */
export const verdictLabel = (verdict: Verdict, alarms: readonly Alarm[] = []): string =>
  `${verdictText(verdict)}${killedWhy(verdict, seriousAlarm(alarms))}`;

/** Returns `queued`, `running`, or how the run ended (for a killed run, with the alarm). */
export const runStatusText = (row: Pick<LedgerRow, 'verdict' | 'startedMs' | 'alarm'>): string =>
  `${rowStatus(row)}${row.verdict ? killedWhy(row.verdict, row.alarm) : ''}`;
