/** Converts the stream of the Messages API to `ModelEvent`s. */
import type {
  ContentBlock,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason as ClaudeStop,
  Usage as ClaudeUsage,
} from '@anthropic-ai/sdk/resources/messages';
import { CallFailed, type Attempt } from '../guarded.ts';
import {
  noUsage,
  type AssistantBlock,
  type ModelEvent,
  type StopReason,
  type Usage,
} from '../model.ts';
import { ownThinking, parsedInput } from '../replay.ts';

interface Source {
  readonly provider: string;
  /** The requested model. Stored with the thinking, which only this model can continue. */
  readonly model: string;
  readonly attempt: Attempt;
}

/**
 * A block that is still streaming: the start event, and the text, JSON and signature received
 * since.
 */
interface Growing {
  readonly start: ContentBlock;
  readonly parts: string[];
  signature: string;
}

/** Yields the events of a reply. Ends without `finished` if the connection broke off. */
export async function* readAnthropic(
  events: AsyncIterable<RawMessageStreamEvent>,
  { provider, model, attempt }: Source,
): AsyncGenerator<ModelEvent> {
  const blocks = new Map<number, Growing>();
  let stop: ClaudeStop | null = null;
  let isComplete = false;
  for await (const event of events) {
    if (event.type === 'message_start') {
      attempt.model = event.message.model;
      attempt.usage = usageOf(event.message.usage, attempt.usage);
    } else if (event.type === 'content_block_start') {
      blocks.set(event.index, {
        start: event.content_block,
        parts: [startText(event.content_block)],
        signature: '',
      });
      yield* started(event.content_block);
    } else if (event.type === 'content_block_delta') {
      yield* grown(blocks.get(event.index), event.delta);
    } else if (event.type === 'message_delta') {
      stop = event.delta.stop_reason ?? stop;
      attempt.usage = usageOf(event.usage, attempt.usage);
    } else if (event.type === 'message_stop') {
      isComplete = true;
    }
  }
  if (!isComplete) return;
  if (stop === 'refusal')
    throw new CallFailed({
      reason: 'refused',
      message: 'Anthropic’s content filter refused to answer.',
    });
  const content = [...blocks.values()].flatMap((block) => finishedBlock(block, provider, model));
  const { usage, model: answeredBy } = attempt;
  yield { type: 'finished', reply: { content, stop: stopOf(stop), usage, model: answeredBy } };
}

function* started(block: ContentBlock): Generator<ModelEvent> {
  if (block.type === 'tool_use')
    yield { type: 'tool_call.started', id: block.id, name: block.name };
}

function startText(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  return block.type === 'thinking' ? block.thinking : '';
}

function* grown(block: Growing | undefined, delta: RawContentBlockDelta): Generator<ModelEvent> {
  if (block === undefined) return;
  if (delta.type === 'text_delta') {
    block.parts.push(delta.text);
    yield { type: 'text.delta', text: delta.text };
  } else if (delta.type === 'thinking_delta') {
    block.parts.push(delta.thinking);
    yield { type: 'thinking.delta', text: delta.thinking };
  } else if (delta.type === 'input_json_delta') {
    block.parts.push(delta.partial_json);
  } else if (delta.type === 'signature_delta') {
    block.signature += delta.signature;
  }
}

function finishedBlock(
  { start, parts, signature }: Growing,
  provider: string,
  model: string,
): AssistantBlock[] {
  const text = parts.join('');
  if (start.type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (start.type === 'tool_use')
    return [{ type: 'tool_call', id: start.id, name: start.name, input: parsedInput(text) }];
  if (start.type === 'redacted_thinking')
    return [ownThinking('', provider, { model, item: start })];
  if (start.type !== 'thinking') return [];
  const signed = signature || start.signature;
  // Thinking without a signature is incomplete. Only its text is stored, since the service would
  // refuse such thinking in the next request.
  return signed === ''
    ? [{ type: 'thinking', text, provider }]
    : [
        ownThinking(text, provider, {
          model,
          item: { type: 'thinking', thinking: text, signature: signed },
        }),
      ];
}

function stopOf(stop: ClaudeStop | null): StopReason {
  if (stop === 'tool_use') return 'tools';
  return stop === 'max_tokens' || stop === 'model_context_window_exceeded' ? 'length' : 'stop';
}

/**
 * Converts the usage. Each figure is the total so far; if a figure is missing or null, its previous
 * value stays.
 */
export const usageOf = (
  usage: Partial<ClaudeUsage> | MessageDeltaUsage,
  before: Usage = noUsage,
): Usage => ({
  inputTokens: usage.input_tokens ?? before.inputTokens,
  cacheReadTokens: usage.cache_read_input_tokens ?? before.cacheReadTokens,
  cacheWriteTokens: usage.cache_creation_input_tokens ?? before.cacheWriteTokens,
  outputTokens: usage.output_tokens ?? before.outputTokens,
});
