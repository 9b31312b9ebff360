/**
 * Lists, for a briefing, the open points of the turns that the briefing replaces: calls whose
 * effect is unknown, and calls that were refused.
 */
import { oneLine } from '../../base/text.ts';
import type { JournalEvent } from '../journal/events.ts';
import { interruptedPrefix } from './history.ts';
import type { ListedLine } from './sectionBudget.ts';

const maxInputChars = 120;
const maxPoints = 10;

/**
 * Returns the open points since the previous checkpoint, newest first. `replaced`: all events from
 * the beginning of the journal to the last event that the briefing replaces.
 */
export function openPoints(replaced: readonly JournalEvent[]): ListedLine[] {
  const before = replaced.findLast((event) => event.type === 'context.checkpointed');
  const from = before === undefined ? -1 : replaced.findLastIndex(({ id }) => id === before.upTo);
  const events = replaced.slice(from + 1);
  const calls = new Map(events.flatMap(callsOf));
  const named = (callId: string): string => calls.get(callId) ?? callId;
  const points = events.flatMap((event): string[] => {
    if (event.type === 'tool.finished' && event.text.startsWith(interruptedPrefix))
      return [
        `- ${named(event.callId)} was interrupted. ${event.text.slice(interruptedPrefix.length)}`,
      ];
    if (event.type === 'permission.decided' && !event.isAllowed)
      return [`- ${named(event.callId)} was not allowed: ${oneLine(event.why, maxInputChars)}`];
    return [];
  });
  return points
    .map((text, position) => ({ text, position }))
    .slice(-maxPoints)
    .reverse();
}

const callsOf = (event: JournalEvent): [string, string][] =>
  event.type !== 'model.replied'
    ? []
    : event.content.flatMap((block): [string, string][] =>
        block.type === 'tool_call'
          ? [
              [
                block.id,
                `${block.name} ${oneLine(JSON.stringify(block.input) ?? '', maxInputChars)}`,
              ],
            ]
          : [],
      );
