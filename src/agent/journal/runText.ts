/** Texts for runs: their name, and how they ended. */
import type { RunId } from '../../base/ids.ts';
import { rowStatus, type LedgerRow } from '../../experiments/ledger.ts';
import { verdictText, type Verdict } from '../../runs/run.ts';
import type { Alarm, SessionState } from './state.ts';

/** `Run 8`. */
export const runName = ({ runs }: Pick<SessionState, 'runs'>, runId: RunId): string =>
  `Run ${runs.get(runId)?.spec.number ?? runId}`;

/** Consequence of an alarm. */
export const alarmActionText: Readonly<Record<Alarm['action'], string>> = {
  warn: '',
  kill: 'It is being stopped',
  ask: 'You are asked whether to let it run',
};

/**
 * Returns the alarm that a run was killed for, or that the user was asked about: the last one that
 * did not only warn.
 */
export const seriousAlarm = (alarms: readonly Alarm[]): Alarm | undefined =>
  alarms.findLast(({ action }) => action !== 'warn');

/**
 * Returns ` after the alarm: loss became NaN at step 120` to append to a verdict. Empty when no
 * alarm ended the run.
 */
export const killedWhy = (
  verdict: Verdict,
  alarm: Pick<Alarm, 'detail' | 'action'> | undefined,
): string =>
  verdict.kind === 'killed' && alarm !== undefined && alarm.action !== 'warn'
    ? ` after the alarm: ${alarm.detail}`
    : '';

/** `killed after the alarm: loss became NaN at step 120` */
export const verdictLabel = (verdict: Verdict, alarms: readonly Alarm[] = []): string =>
  `${verdictText(verdict)}${killedWhy(verdict, seriousAlarm(alarms))}`;

/** Returns `queued`, `running`, or how the run ended, with the alarm that it was killed for. */
export const runStatusText = (row: Pick<LedgerRow, 'verdict' | 'startedMs' | 'alarm'>): string =>
  `${rowStatus(row)}${row.verdict ? killedWhy(row.verdict, row.alarm) : ''}`;
