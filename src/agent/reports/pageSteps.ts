/** The steps of a session that a shared page tells: all but turns, tool calls and launches. */
import type { PageStep } from '../../reports/page/timelinePart.ts';
import { describeEvent, type Subject } from '../journal/describeEvent.ts';
import type { JournalEvent } from '../journal/events.ts';
import { isWordOfUser } from '../journal/factText.ts';
import type { SessionState } from '../journal/state.ts';

const omitted: ReadonlySet<Subject> = new Set<Subject>(['turn', 'tool', 'wake', 'run', 'monitor']);

/** Returns the steps, oldest first. Their texts are raw. */
export function pageSteps(events: readonly JournalEvent[], state: SessionState): PageStep[] {
  return events.flatMap((event) => {
    const description = describeEvent(event, state);
    if (description === undefined || omitted.has(description.kind)) return [];
    if (event.type === 'message.added' && !isWordOfUser(event)) return [];
    const { title, detail = '', facts = [], tone } = description;
    const note = [detail, ...facts].filter((part) => part !== '').join(' · ');
    return [{ atMs: event.at, title, note, tone }];
  });
}
