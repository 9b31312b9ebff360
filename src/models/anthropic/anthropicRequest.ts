/** Converts a `ModelRequest` to a request of the Messages API. */
import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ThinkingConfigParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { assertNever } from '../../base/errors.ts';
import { fittingId } from '../callIds.ts';
import {
  claudeEfforts,
  claudeModels,
  claudeThinking,
  describedModel,
  type AdaptiveEffort,
} from '../catalogue.ts';
import { nearestEffort } from '../effort.ts';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  ModelRequest,
  SystemPart,
  ToolResultBlock,
  ToolSpec,
  UserBlock,
} from '../model.ts';
import { objectInput, replayable, thinkingItem } from '../replay.ts';

const defaultMaxOutputTokens = 32_000;
const cached = { cache_control: { type: 'ephemeral' } } as const;

type Thinking = Pick<MessageCreateParamsStreaming, 'thinking' | 'output_config'>;

export function anthropicRequest(
  request: ModelRequest,
  provider: string,
): MessageCreateParamsStreaming {
  const messages = replayable(request, provider);
  const limit = describedModel(claudeModels, request.model)?.maxOutputTokens ?? Infinity;
  const maxTokens = Math.min(limit, request.maxOutputTokens ?? defaultMaxOutputTokens);
  return {
    model: request.model,
    max_tokens: maxTokens,
    stream: true,
    system: systemBlocks(request.system),
    messages: messageParams(messages, provider, request.model),
    ...(request.tools.length === 0 ? {} : { tools: toolParams(request.tools) }),
    ...thinkingParams(request, messages, maxTokens),
  };
}

/**
 * Converts the system prompt to blocks and marks the last stable block: the service caches the
 * prompt up to each marked block. The service allows four marks per request. Helios sets them after
 * the tools, after the stable prompt, and at the last two user turns.
 */
function systemBlocks(parts: readonly SystemPart[]): TextBlockParam[] {
  const nonEmpty = parts.filter(({ text }) => text.trim() !== '');
  const lastStable = nonEmpty.findLastIndex(({ isStable }) => isStable);
  return nonEmpty.map(({ text }, index) => ({
    type: 'text',
    text,
    ...(index === lastStable ? cached : {}),
  }));
}

const toolParams = (tools: readonly ToolSpec[]): Tool[] =>
  tools.map(({ name, description, inputSchema }, index) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
    ...(index === tools.length - 1 ? cached : {}),
  }));

function messageParams(
  messages: readonly Message[],
  provider: string,
  model: string,
): MessageParam[] {
  // The mark at the last user turn extends the cache. With the mark at the user turn before it, the
  // service finds the cache of the previous call, even if many blocks were added since.
  const marked = new Set(
    messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-2),
  );
  return messages.map((message, index) =>
    message.role === 'assistant'
      ? {
          role: 'assistant',
          content: message.content.map((block) => assistantParam(block, provider, model)),
        }
      : { role: 'user', content: withMark(message.content.map(userParam), marked.has(index)) },
  );
}

const withMark = (blocks: UserParam[], isMarked: boolean): UserParam[] =>
  isMarked
    ? blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, ...cached } : block))
    : blocks;

function assistantParam(block: AssistantBlock, provider: string, model: string): ContentBlockParam {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return thinkingItem(block, provider, model) as ContentBlockParam;
    case 'tool_call':
      return {
        type: 'tool_use',
        id: safeId(block.id),
        name: block.name,
        input: objectInput(block.input),
      };
    default:
      return assertNever(block);
  }
}

const safeId = (id: string): string => fittingId(id, { refused: /[^a-zA-Z0-9_-]/g, maxChars: 64 });

type UserParam = TextBlockParam | ImageBlockParam | DocumentBlockParam | ToolResultBlockParam;

function userParam(block: UserBlock): UserParam {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'attachment':
      return attachmentParam(block);
    case 'tool_result':
      return toolResult(block);
    default:
      return assertNever(block);
  }
}

function toolResult({
  callId,
  text,
  isError,
  attachments = [],
}: ToolResultBlock): ToolResultBlockParam {
  const texts: TextBlockParam[] = text.trim() === '' ? [] : [{ type: 'text', text }];
  return {
    type: 'tool_result',
    tool_use_id: safeId(callId),
    content: [...texts, ...attachments.map(attachmentParam)],
    ...(isError ? { is_error: true } : {}),
  };
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

function attachmentParam({
  mediaType,
  name,
  base64,
}: AttachmentBlock): ImageBlockParam | DocumentBlockParam | TextBlockParam {
  const imageType = imageTypes.find((type) => type === mediaType);
  if (imageType !== undefined)
    return { type: 'image', source: { type: 'base64', media_type: imageType, data: base64 } };
  if (mediaType === 'application/pdf')
    return {
      type: 'document',
      title: name,
      source: { type: 'base64', media_type: mediaType, data: base64 },
    };
  return { type: 'text', text: `[${name}: ${mediaType} cannot be shown to this model]` };
}

/** Number of thinking tokens per effort. */
const budgets = {
  minimal: 1_024,
  low: 4_000,
  medium: 12_000,
  high: 24_000,
  xhigh: 36_000,
  max: 48_000,
} as const;
const minBudget = 1024;

function thinkingParams(
  request: ModelRequest,
  messages: readonly Message[],
  maxTokens: number,
): Thinking {
  const { model } = request;
  const { mode, off, adaptive: levels } = claudeThinking(model);
  const effort = request.effort && nearestEffort(claudeEfforts(model), request.effort);
  if (effort === 'none') return noThinking(off);
  if (mode === 'adaptive') return adaptive(effort && nearestEffort(levels, effort));
  const budget = effort === undefined ? 0 : Math.min(budgets[effort], maxTokens - minBudget);
  return budget >= minBudget && mayThink(messages)
    ? { thinking: { type: 'enabled', budget_tokens: budget } }
    : {};
}

/**
 * Returns the parameters for adaptive thinking. Without `summarized`, newer models return
 * their thinking, and the text that they write between tool calls, as empty strings.
 */
const adaptive = (effort: AdaptiveEffort | undefined): Thinking => ({
  thinking: { type: 'adaptive', display: 'summarized' },
  ...(effort === undefined ? {} : { output_config: { effort } }),
});

function noThinking(off: ReturnType<typeof claudeThinking>['off']): Thinking {
  switch (off) {
    case 'omit':
      return {};
    case 'lowest':
      return adaptive('low');
    case 'disabled':
    case 'between_tools':
      return { thinking: { type: off } satisfies ThinkingConfigParam };
    default:
      return assertNever(off);
  }
}

/**
 * Returns whether a thinking budget may be set. The service refuses a budget in a request that
 * returns the results of calls made without thinking, for example of another model's calls.
 */
function mayThink(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  const isMidway =
    last?.role === 'user' && last.content.some((block) => block.type === 'tool_result');
  return !isMidway || messages.at(-2)?.content[0]?.type === 'thinking';
}
