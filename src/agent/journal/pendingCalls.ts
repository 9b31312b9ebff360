/** Finds the tool calls of the last reply that have no result. */
import type { AssistantBlock, ModelReply, ToolCallBlock } from '../../models/model.ts';
import type { JournalEvent } from './events.ts';
import type { SessionState } from './state.ts';

/** Returns the tool calls of a reply. */
export const callsOf = (content: readonly AssistantBlock[]): ToolCallBlock[] =>
  content.filter((block): block is ToolCallBlock => block.type === 'tool_call');

/**
 * Returns the calls of the last reply that have no result. After a restart, the turn continues with
 * these calls.
 */
export function pendingCalls(events: readonly JournalEvent[]): ToolCallBlock[] {
  const index = events.findLastIndex((event) => event.type === 'model.replied');
  const reply = events[index];
  if (reply?.type !== 'model.replied' || !isWhole(reply)) return [];
  const done = new Set(
    events.slice(index).flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : [])),
  );
  return callsOf(reply.content).filter((call) => !done.has(call.id));
}

const isWhole = (reply: Pick<ModelReply, 'stop'>): boolean =>
  reply.stop !== 'aborted' && reply.stop !== 'error';

/** Returns whether the model is writing a reply, or calls of its last reply are still executed. */
export const isAnswering = (
  { phase }: Pick<SessionState, 'phase'>,
  events: readonly JournalEvent[],
): boolean =>
  phase === 'thinking' ||
  ((phase === 'ready' || phase === 'acting') && pendingCalls(events).length > 0);
