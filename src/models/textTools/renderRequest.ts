/** Converts a request with tools to an equivalent request that contains only text. */
import type { Message, ModelRequest, SystemPart, UserBlock } from '../model.ts';
import { offer, reminderFor, writtenReply, writtenResult } from './protocol.ts';

/**
 * Adds tools and rules to the stable part of the system prompt, and renders calls and results of
 * the history as text.
 */
export function asText(request: ModelRequest): ModelRequest {
  const { system, tools, messages } = request;
  const names = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_call' ? [[block.id, block.name] as const] : [],
      ),
    ),
  );
  return {
    ...request,
    system: tools.length === 0 ? system : withOffer(system, { text: offer(tools), isStable: true }),
    messages: reminded(messages, tools.length > 0).map((message) => textMessage(message, names)),
    tools: [],
  };
}

function withOffer(system: readonly SystemPart[], part: SystemPart): SystemPart[] {
  const stable = system.filter(({ isStable }) => isStable);
  return [...stable, part, ...system.filter(({ isStable }) => !isStable)];
}

function textMessage(message: Message, names: ReadonlyMap<string, string>): Message {
  if (message.role === 'user')
    return { role: 'user', content: message.content.flatMap((block) => textBlocks(block, names)) };
  const { content } = message;
  const isCalling = content.some(({ type }) => type === 'tool_call');
  // Models need their thinking only to continue after calls.
  const thinking = isCalling ? content.filter(({ type }) => type === 'thinking') : [];
  return {
    role: 'assistant',
    content: [...thinking, { type: 'text', text: writtenReply(content) }],
  };
}

function textBlocks(block: UserBlock, names: ReadonlyMap<string, string>): UserBlock[] {
  if (block.type !== 'tool_result') return [block];
  const text = writtenResult(block, names.get(block.callId) ?? 'unknown');
  return [{ type: 'text', text }, ...(block.attachments ?? [])];
}

/** Appends a reminder of the format if the last reply used a wrong format. */
function reminded(messages: readonly Message[], hasTools: boolean): readonly Message[] {
  const last = messages.at(-1);
  const reply = messages.findLast(({ role }) => role === 'assistant');
  const text =
    hasTools && last?.role === 'user' && reply?.role === 'assistant'
      ? reminderFor(reply.content)
      : undefined;
  if (text === undefined || last?.role !== 'user') return messages;
  return [
    ...messages.slice(0, -1),
    { role: 'user', content: [...last.content, { type: 'text', text }] },
  ];
}
