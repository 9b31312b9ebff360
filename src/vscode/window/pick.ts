/**
 * Quick picks for sessions and runs, shown by commands that are called without a session or run.
 */
import { ThemeIcon, window, type QuickPickItem } from 'vscode';
import type { Session, SessionSummary } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { formatDuration, oneLine } from '../../base/text.ts';
import type { SessionId } from '../../base/ids.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import { rowStatus, runTitle } from '../../presentation/runs/runText.ts';
import type { OpenSessions } from './openSessions.ts';
import { statusLine, summaryText, sessionName } from '../../presentation/sessions/sessionText.ts';
import { withResults, type ResultNeed } from '../ui/sessionGroups.ts';
import { endIcon, phaseIcon, verdictIcon } from '../ui/icons.ts';

export interface Choice<T> extends QuickPickItem {
  readonly value: T;
}

/**
 * Asks the user to choose. Resolves with the value of the choice, or `undefined` when the user
 * cancels or there are no choices. A single choice is returned without asking.
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
 * Asks for a session of this window that has not ended. A single session is returned without
 * asking. Throws `UserFacing` if all sessions have ended.
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
    label: oneLine(sessionName(session.state), 80),
    detail: statusLine(sessions.glance(session), Date.now()),
    iconPath: new ThemeIcon(phaseIcon(session.state).id.replace('~spin', '')),
    value: session,
  };
}

export function summaryChoice(summary: SessionSummary): Choice<SessionSummary> {
  const icon = summary.endReason === undefined ? 'debug-disconnect' : endIcon(summary.endReason).id;
  return {
    label: oneLine(sessionName(summary), 80),
    detail: summaryText(summary, Date.now()),
    iconPath: new ThemeIcon(icon),
    value: summary,
  };
}

/**
 * Asks for one of the listed sessions. A single listed session is returned without asking. Resolves
 * with the id of the session, or `undefined` when the user cancels. Rejects with `UserFacing` if
 * the list is empty.
 */
export async function anySession(
  list: Promise<readonly SessionSummary[]>,
  only?: SessionId,
): Promise<SessionId | undefined> {
  const listed = await list;
  if (listed.length === 0) throw noSession();
  if (listed.length === 1 && only !== undefined) return only;
  return (await pickOne(listed.map(summaryChoice), 'Select a session'))?.id;
}

/**
 * Asks for sessions with runs, other than session `id`. Resolves with their ids; with `undefined` when
 * the user cancels. `chosen` are the ids that are chosen at first.
 */
export async function otherSessions(
  list: Promise<readonly SessionSummary[]>,
  id: string,
  chosen: readonly string[],
): Promise<readonly SessionId[] | undefined> {
  const others = (await list).filter((summary) => summary.id !== id && summary.runs > 0);
  const choices = others.map((summary) => ({
    ...summaryChoice(summary),
    picked: chosen.includes(summary.id),
  }));
  const picked = await window.showQuickPick(choices, {
    title: 'Select sessions whose runs are shown too',
    placeHolder: choices.length === 0 ? 'No other session has runs' : '',
    canPickMany: true,
    matchOnDetail: true,
  });
  return picked?.map(({ value }) => value.id);
}

const noSession = (): UserFacing =>
  new UserFacing('There is no session yet.', 'Start one with “Helios: Start Goal”.');

/**
 * Asks for one of the listed sessions that have results. Resolves with the id of the session, or
 * `undefined` when the user cancels. Rejects with `UserFacing` if no session has results.
 */
export async function sessionWithResults(
  list: Promise<readonly SessionSummary[]>,
  needs: ResultNeed,
): Promise<SessionId | undefined> {
  const listed = await list;
  if (listed.length === 0) throw noSession();
  const offered = withResults(listed, needs);
  if (offered.length === 0)
    throw new UserFacing(
      'No session has a result yet.',
      'Wait until a run of an experiment has printed a value.',
    );
  return (await pickOne(offered.map(summaryChoice), 'Select a session'))?.id;
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
    rowStatus(row),
    row.machineId,
    took === undefined ? '' : formatDuration(took),
    oneLine(sessionName(session.state), 60),
  ];
  return {
    label: `${runTitle(row.number)}${row.isChampion ? ', champion' : ''}`,
    description: row.label,
    detail: words.filter((word) => word !== '').join(' · '),
    iconPath: new ThemeIcon(verdictIcon(row.verdict).id.replace('~spin', '')),
    value: { session, row },
  };
}
