/** Quick picks for sessions and runs, shown by commands that are called without a target. */
import { ThemeIcon, window, type QuickPickItem } from 'vscode';
import type { Session, SessionSummary } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { counted, formatDuration, oneLine } from '../../base/text.ts';
import type { SessionId } from '../../base/ids.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import { verdictText } from '../../presentation/runs/runText.ts';
import type { OpenSessions } from './openSessions.ts';
import { costText, endText, statusLine } from '../../presentation/sessions/sessionText.ts';
import { endIcon, phaseIcon, verdictIcon } from '../ui/icons.ts';
import { relativeTime } from '../../base/span.ts';

export interface Choice<T> extends QuickPickItem {
  readonly value: T;
}

/**
 * Asks the user to choose. A single choice is returned without asking. Resolves with `undefined`
 * when the user cancels.
 */
export async function pickOne<T>(
  choices: readonly Choice<T>[],
  title: string,
): Promise<T | undefined> {
  if (choices.length <= 1) return choices[0]?.value;
  const options = { title, matchOnDescription: true, matchOnDetail: true };
  return (await window.showQuickPick(choices, options))?.value;
}

/**
 * Asks for a session of this window that has not ended. Rejects with `UserFacing` when there is
 * none.
 */
export function pickGoing(sessions: OpenSessions, title: string): Promise<Session | undefined> {
  const going = sessions.going();
  if (going.length === 0)
    throw new UserFacing(
      'No session is active in this window.',
      'Start one with “Helios: Start Goal”.',
    );
  return pickOne(
    going.map((session) => sessionChoice(session, sessions)),
    title,
  );
}

export function sessionChoice(session: Session, sessions: OpenSessions): Choice<Session> {
  return {
    label: oneLine(session.state.goal, 80),
    detail: statusLine(sessions.glance(session), Date.now()),
    iconPath: new ThemeIcon(phaseIcon(session.state).id.replace('~spin', '')),
    value: session,
  };
}

export function summaryChoice(summary: SessionSummary): Choice<SessionSummary> {
  const phase = summary.endReason === undefined ? 'Not ended' : endText(summary.endReason);
  const icon = summary.endReason === undefined ? 'debug-disconnect' : endIcon(summary.endReason).id;
  const age = relativeTime(summary.lastEventMs, Date.now());
  const words = [phase, summary.best ?? '', counted(summary.runs, 'run'), costText(summary), age];
  return {
    label: oneLine(summary.goal, 80),
    detail: words.filter((word) => word !== '').join(' · '),
    iconPath: new ThemeIcon(icon),
    value: summary,
  };
}

/**
 * Asks for one of the listed sessions. With `only`, a single listed session is returned without
 * asking. Resolves with `undefined` when the user cancels.
 */
export async function anySession(
  list: Promise<readonly SessionSummary[]>,
  only?: SessionId,
): Promise<SessionId | undefined> {
  const listed = await list;
  if (listed.length === 0)
    throw new UserFacing('There is no session yet.', 'Start one with “Helios: Start Goal”.');
  if (listed.length === 1 && only !== undefined) return only;
  return (await pickOne(listed.map(summaryChoice), 'Which session?'))?.id;
}

export interface RunOfSession {
  readonly session: Session;
  readonly row: LedgerRow;
}

/** Returns the runs of the open sessions, newest first. */
export const openRuns = (sessions: OpenSessions): readonly RunOfSession[] =>
  [...sessions.all()]
    .reverse()
    .flatMap((session) => [...session.ledger.rows].reverse().map((row) => ({ session, row })));

export function runChoice({ session, row }: RunOfSession): Choice<RunOfSession> {
  const took =
    row.startedMs === undefined ? undefined : (row.endedMs ?? Date.now()) - row.startedMs;
  const words = [
    row.verdict ? verdictText(row.verdict) : 'running',
    row.machineId,
    took === undefined ? '' : formatDuration(took),
    oneLine(session.state.goal, 60),
  ];
  return {
    label: `Run ${row.number}${row.isChampion ? ', champion' : ''}`,
    description: row.label,
    detail: words.filter((word) => word !== '').join(' · '),
    iconPath: new ThemeIcon(verdictIcon(row.verdict).id.replace('~spin', '')),
    value: { session, row },
  };
}
