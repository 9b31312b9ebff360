/** Texts about the deletion of old sessions, for terminal and VS Code. */
import { relativeTime } from '../../base/span.ts';
import { cleanText, formatBytes, oneLine } from '../../base/text.ts';
import type { CleanReport, OldSession, RetentionPlan } from '../../agent/contract/retention.ts';
import { sessionName } from '../../agent/journal/sessionName.ts';

/** Returns, for example, `12 sessions, 3.4 GB`. */
export const countText = (sessions: readonly OldSession[]): string => {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  return `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}, ${formatBytes(bytes)}`;
};

export const planHeader = ['session', 'last', 'size', 'runs', '', 'goal'] as const;

/**
 * Returns table cells in the order of `planHeader`. The unnamed column says whether a session is
 * deleted (`delete`), and if not, why.
 */
export const planRows = (
  { goes, stays }: RetentionPlan,
  nowMs: number,
): readonly (readonly string[])[] => [
  ...goes.map((session) => cellsOf(session, 'delete', nowMs)),
  ...stays.map((session) => cellsOf(session, `keep: ${session.why}`, nowMs)),
];

const cellsOf = ({ summary, bytes }: OldSession, what: string, nowMs: number): string[] => [
  summary.id,
  relativeTime(summary.lastEventMs, nowMs),
  formatBytes(bytes),
  String(summary.runs),
  what,
  oneLine(cleanText(sessionName(summary)), 60),
];

export const reportText = ({ removed, problems }: CleanReport): string =>
  [`Removed ${countText(removed)}.`, ...problems].join('\n');
