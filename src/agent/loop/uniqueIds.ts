/** Makes the ids of tool calls unique within a session. */
import type { ModelReply } from '../../models/model.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';
import { callsOf } from '../journal/pendingCalls.ts';

/** Makes the ids of calls unique in the journal, because some servers reuse ids in later turns. */
export function withUniqueIds(
  reply: ModelReply,
  events: readonly JournalEvent[],
  turnNumber: number,
): ModelReply {
  const used = usedIds(events);
  const replyIds = new Set<string>();
  const content = reply.content.map((block, index) => {
    if (block.type !== 'tool_call') return block;
    const isTaken = block.id === '' || used.has(block.id) || replyIds.has(block.id);
    const id = isTaken ? `${block.id}_${turnNumber}_${index}` : block.id;
    replyIds.add(id);
    return { ...block, id };
  });
  return { ...reply, content };
}

const usedIds = growingFold<JournalEvent, Set<string>>(
  () => new Set(),
  (ids, event) => {
    if (event.type === 'model.replied') for (const { id } of callsOf(event.content)) ids.add(id);
  },
);
