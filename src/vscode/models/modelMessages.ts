/**
 * Converts VS Code's chat messages to Helios's model requests. The parts of a message are
 * recognized by their fields, so this file does not import `vscode`.
 */
import { textTokens } from '../../base/textTokens.ts';
import type {
  AssistantBlock,
  Message,
  ModelRequest,
  ToolSpec,
  UserBlock,
} from '../../models/model.ts';

/** A message from VS Code; `role` 1 is the user, 2 the assistant, 3 the system. */
export interface HostMessage {
  readonly role: number;
  readonly content: ReadonlyArray<unknown>;
}

export interface HostTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: object | undefined;
}

const assistantRole = 2;
const systemRole = 3;

/**
 * Converts the messages to a request. Adjacent messages of the same role are merged, as the
 * providers require, and empty messages are omitted.
 */
export function modelRequest(
  model: string,
  messages: readonly HostMessage[],
  tools: readonly HostTool[] = [],
): ModelRequest {
  const system = messages
    .filter(({ role }) => role === systemRole)
    .map((message) => textOf(message.content));
  const turns = messages
    .filter(({ role }) => role !== systemRole)
    .reduce<Message[]>(mergeMessage, []);
  return {
    model,
    system: system.filter((text) => text !== '').map((text) => ({ text, isStable: true })),
    messages: turns,
    tools: tools.map(toolSpec),
  };
}

const toolSpec = ({ name, description, inputSchema }: HostTool): ToolSpec => ({
  name,
  description,
  inputSchema: (inputSchema as Record<string, unknown> | undefined) ?? {
    type: 'object',
    properties: {},
  },
});

function mergeMessage(turns: Message[], message: HostMessage): Message[] {
  const last = turns.at(-1);
  if (message.role === assistantRole) {
    const content = message.content.flatMap(assistantBlock);
    if (content.length === 0) return turns;
    if (last?.role !== 'assistant') return [...turns, { role: 'assistant', content }];
    return [...turns.slice(0, -1), { role: 'assistant', content: [...last.content, ...content] }];
  }
  const content = message.content.flatMap(userBlock);
  if (content.length === 0) return turns;
  if (last?.role !== 'user') return [...turns, { role: 'user', content }];
  return [...turns.slice(0, -1), { role: 'user', content: [...last.content, ...content] }];
}

function assistantBlock(part: unknown): AssistantBlock[] {
  if (isText(part)) return part.value === '' ? [] : [{ type: 'text', text: part.value }];
  if (isToolCall(part))
    return [{ type: 'tool_call', id: part.callId, name: part.name, input: part.input }];
  return [];
}

function userBlock(part: unknown): UserBlock[] {
  if (isText(part)) return part.value === '' ? [] : [{ type: 'text', text: part.value }];
  if (isToolResult(part))
    return [
      { type: 'tool_result', callId: part.callId, text: textOf(part.content), isError: false },
    ];
  if (!isData(part)) return [];
  if (part.mimeType.startsWith('text/'))
    return [{ type: 'text', text: new TextDecoder().decode(part.data) }];
  if (!part.mimeType.startsWith('image/')) return [];
  const base64 = Buffer.from(part.data).toString('base64');
  return [{ type: 'attachment', mediaType: part.mimeType, name: 'image', base64 }];
}

/** Returns all text of a message or a tool result, in order. */
const textOf = (content: ReadonlyArray<unknown>): string =>
  content
    .flatMap((part) =>
      isText(part) ? [part.value] : isToolResult(part) ? [textOf(part.content)] : [],
    )
    .join('');

/**
 * Estimates the number of tokens from the number of characters, plus a fixed number per image.
 * Never returns less than 1 for non-empty content.
 */
export function estimateTokens(content: string | ReadonlyArray<unknown>): number {
  if (typeof content === 'string') return Math.ceil(textTokens(content));
  const parts = content.map((part) => {
    if (isToolCall(part))
      return Math.ceil(textTokens(part.name + JSON.stringify(part.input ?? {})));
    return isData(part) ? 1_000 : estimateTokens(textOf([part]));
  });
  return parts.reduce((sum, tokens) => sum + tokens, 0);
}

const isObject = (part: unknown): part is Record<string, unknown> =>
  typeof part === 'object' && part !== null;
const isText = (part: unknown): part is { value: string } =>
  isObject(part) && typeof part.value === 'string';
const isToolCall = (part: unknown): part is { callId: string; name: string; input: unknown } =>
  isObject(part) && typeof part.callId === 'string' && typeof part.name === 'string';
const isToolResult = (part: unknown): part is { callId: string; content: unknown[] } =>
  isObject(part) && typeof part.callId === 'string' && Array.isArray(part.content);
const isData = (part: unknown): part is { mimeType: string; data: Uint8Array } =>
  isObject(part) && typeof part.mimeType === 'string' && part.data instanceof Uint8Array;
