/**
 * Converts a `ModelRequest` to a request of the Chat Completions API. Uses few parameters, since
 * many servers refuse parameters that they do not support.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  ModelRequest,
  ToolResultBlock,
  UserBlock,
} from '../model.ts';
import { nearestEffort } from '../effort.ts';
import { objectInput, replayable, thinkingItem } from '../replay.ts';

/**
 * Field in which a server sends the model's reasoning. The reasoning is sent back in the same
 * field.
 */
export type ReasoningField = 'reasoning_content' | 'reasoning';

export interface ReasoningItem {
  readonly field: ReasoningField;
  readonly text: string;
}

/** Efforts that most servers accept as `reasoning_effort`, if they accept any. */
export const endpointEfforts = ['none', 'low', 'medium', 'high'] as const;

export interface ChatOptions {
  readonly provider: string;
  readonly sendsEffort: boolean;
  readonly temperature?: number | undefined;
  /** Whether reasoning is also sent back with replies that contain no native calls. */
  readonly keepsReasoning: boolean;
}

export function chatRequest(
  request: ModelRequest,
  options: ChatOptions,
): ChatCompletionCreateParamsStreaming {
  const { model, system, tools, maxOutputTokens, effort } = request;
  const { provider, sendsEffort, temperature } = options;
  const prompt = system.map(({ text }) => text).join('\n\n');
  const history = replayable(request, provider).flatMap((message) =>
    chatMessages(message, options, model),
  );
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: prompt === '' ? history : [{ role: 'system', content: prompt }, ...history],
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool) }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(sendsEffort && effort !== undefined
      ? { reasoning_effort: nearestEffort(endpointEfforts, effort) ?? null }
      : {}),
  };
}

const functionTool = ({ name, description, inputSchema }: ModelRequest['tools'][number]) => ({
  type: 'function' as const,
  function: { name, description, parameters: { ...inputSchema } },
});

const chatMessages = (
  message: Message,
  options: ChatOptions,
  model: string,
): ChatCompletionMessageParam[] =>
  message.role === 'assistant'
    ? [assistantMessage(message.content, options, model)]
    : userMessages(message.content);

function assistantMessage(
  content: readonly AssistantBlock[],
  { provider, keepsReasoning }: ChatOptions,
  model: string,
): ChatCompletionAssistantMessageParam & Partial<Record<ReasoningField, string>> {
  const calls = content.filter((block) => block.type === 'tool_call');
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  // Reasoning models need the reasoning of a reply with tool calls to continue after the calls.
  // Reasoning of other replies is refused or ignored.
  const reasoning = calls.length > 0 || keepsReasoning ? reasoningOf(content, provider, model) : {};
  if (calls.length === 0) return { role: 'assistant', content: text, ...reasoning };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...reasoning,
    tool_calls: calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(objectInput(input)) },
    })),
  };
}

function reasoningOf(
  content: readonly AssistantBlock[],
  provider: string,
  model: string,
): Partial<Record<ReasoningField, string>> {
  const [item] = content
    .filter((block) => block.type === 'thinking')
    .map((block) => thinkingItem(block, provider, model) as ReasoningItem);
  return item === undefined ? {} : { [item.field]: item.text };
}

/**
 * Returns the results as tool messages, which hold text only. Attachments of results follow as a
 * user message.
 */
function userMessages(content: readonly UserBlock[]): ChatCompletionMessageParam[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const parts = [...results.flatMap(shownBy), ...content.flatMap(userParts)];
  const messages: ChatCompletionMessageParam[] = results.map(({ callId, text, isError }) => ({
    role: 'tool',
    tool_call_id: callId,
    content: isError ? `Error: ${text}` : text,
  }));
  return parts.length === 0
    ? messages
    : [...messages, { role: 'user', content: plainWhereTextOnly(parts) }];
}

/**
 * Converts content to a plain string if all parts are text, since many local servers accept nothing
 * else.
 */
const plainWhereTextOnly = (
  parts: ChatCompletionContentPart[],
): string | ChatCompletionContentPart[] =>
  parts.every((part) => part.type === 'text') ? parts.map(({ text }) => text).join('\n\n') : parts;

const shownBy = ({ callId, attachments = [] }: ToolResultBlock): ChatCompletionContentPart[] =>
  attachments.length === 0
    ? []
    : [{ type: 'text', text: `Shown by ${callId}:` }, ...attachments.map(attachment)];

function userParts(block: UserBlock): ChatCompletionContentPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return block.type === 'attachment' ? [attachment(block)] : [];
}

function attachment({ mediaType, name, base64 }: AttachmentBlock): ChatCompletionContentPart {
  const url = `data:${mediaType};base64,${base64}`;
  return mediaType.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: name, file_data: url } };
}
