/** What of a journal a person who was away should read: interruptions, refusals, limits. And how much was slept. */
import { oneLine } from '../../base/text.ts';
import type { BriefFacts, Happening } from '../../reports/facts.ts';
import { noticeText } from '../budget/notices.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';

/** Oldest first; what happened several times in a row is said once, with its last time. */
export function happeningsOf(events: readonly JournalEvent[], state: SessionState): Happening[] {
  const told: { atMs: number; text: string; times: number }[] = [];
  for (const event of events) {
    const text = textOf(event, state);
    if (text === undefined) continue;
    const last = told.at(-1);
    if (last?.text === text) Object.assign(last, { atMs: event.at, times: last.times + 1 });
    else told.push({ atMs: event.at, text, times: 1 });
  }
  return told.map(({ atMs, text, times }) => ({ atMs, text: times === 1 ? text : `${text} (${times} times)` }));
}

function textOf(event: JournalEvent, state: SessionState): string | undefined {
  switch (event.type) {
    case 'session.resumed':
      return event.budget === undefined ? 'The session was taken up again' : 'The session was given other limits';
    case 'session.paused':
      return event.by === 'user' ? 'Paused by you' : `Paused: ${oneLine(event.detail ?? 'an error', 200)}`;
    case 'session.model_changed':
      return `Went on with ${event.provider} ${event.model}`;
    case 'model.replied':
      return event.failure && `No answer of the model: ${oneLine(event.failure.message, 160)}`;
    case 'budget.noticed':
      return `Limit: ${noticeText(event)}`;
    case 'permission.decided':
      return event.isAllowed ? undefined : `A call was not allowed: ${oneLine(event.why, 160)}`;
    case 'run.not_started':
      return `Run ${state.runs.get(event.runId)?.spec.number ?? event.runId} was not started: ${oneLine(event.why, 160)}`;
    default:
      return undefined;
  }
}

/** A sleep that nothing has ended yet is not counted. */
export function sleepsOf(events: readonly JournalEvent[]): BriefFacts['sleeps'] {
  const startedMs = new Map<string, number>();
  const spans: number[] = [];
  for (const event of events) {
    if (event.type === 'sleep.started') startedMs.set(event.sleepId, event.at);
    if (event.type !== 'sleep.ended') continue;
    const start = startedMs.get(event.sleepId);
    startedMs.delete(event.sleepId);
    if (start !== undefined) spans.push(event.at - start);
  }
  return {
    count: spans.length,
    totalMs: spans.reduce((sum, span) => sum + span, 0),
    longestMs: spans.reduce((longest, span) => Math.max(longest, span), 0),
  };
}
