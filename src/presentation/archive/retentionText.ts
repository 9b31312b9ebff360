/** Texts about old sessions, for terminal and window. */
import { relativeTime } from '../../base/span.ts';
import { cleanText, formatBytes, oneLine } from '../../base/text.ts';
import type { CleanReport, OldSession, RetentionPlan } from '../../agent/contract/retention.ts';

/** `12 sessions, 3.4 GB`. */
export const countText = (sessions: readonly OldSession[]): string => {
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  return `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}, ${formatBytes(bytes)}`;
};

export const planHeader = ['session', 'last', 'size', 'runs', '', 'goal'] as const;

/** Cells in the order of `planHeader`; the unnamed column says why a session is kept. */
export const planRows = (
  { goes, stays }: RetentionPlan,
  nowMs: number,
): readonly (readonly string[])[] => [
  ...goes.map((session) => cellsOf(session, 'goes', nowMs)),
  ...stays.map((session) => cellsOf(session, `stays: ${session.why}`, nowMs)),
];

const cellsOf = ({ summary, bytes }: OldSession, what: string, nowMs: number): string[] => [
  summary.id,
  relativeTime(summary.lastEventMs, nowMs),
  formatBytes(bytes),
  String(summary.runs),
  what,
  oneLine(cleanText(summary.goal), 60),
];

export const reportText = ({ removed, problems }: CleanReport): string =>
  [`Removed ${countText(removed)}.`, ...problems].join('\n');
