/**
 * Converts the stream of Chat Completions to `ModelEvent`s, including the known deviations of
 * servers.
 */
import { randomUUID } from 'node:crypto';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { CallFailed, type Attempt } from '../guarded.ts';
import type {
  AssistantBlock,
  ModelEvent,
  ModelRequest,
  StopReason,
  ToolCallBlock,
  Usage,
} from '../model.ts';
import type { ReasoningField, ReasoningItem } from './openaiChatRequest.ts';
import { ownThinking, parsedInput } from '../replay.ts';

interface Source {
  readonly provider: string;
  readonly request: ModelRequest;
  readonly attempt: Attempt;
}

type Delta = ChatCompletionChunk.Choice.Delta & {
  readonly [Field in ReasoningField]?: string | null;
};
type CallDelta = ChatCompletionChunk.Choice.Delta.ToolCall;

interface GrowingCall {
  readonly id: string;
  /**
   * Id from the server. Some servers omit the index of a call, so that only the id separates calls.
   */
  readonly sentId: string | undefined;
  readonly name: string;
  readonly parts: string[];
}

/** Yields the events of a reply. Ends without `finished` if the connection broke off. */
export async function* readChat(
  chunks: AsyncIterable<ChatCompletionChunk>,
  { provider, request, attempt }: Source,
): AsyncGenerator<ModelEvent> {
  const reply = new GrowingReply(request);
  let finish: string | undefined;
  for await (const chunk of chunks) {
    if (chunk.model) attempt.model = chunk.model;
    if (chunk.usage) attempt.usage = usageOf(chunk.usage);
    // The chunk with the usage has no choices; some servers even omit the list.
    const choice = (chunk.choices as typeof chunk.choices | undefined)?.[0];
    finish = choice?.finish_reason ?? finish;
    if (choice?.delta) yield* reply.grow(choice.delta);
  }
  if (finish === undefined) return;
  if (finish === 'error')
    throw new CallFailed({
      reason: 'server',
      message: 'The endpoint stopped its reply with an error.',
    });
  if (finish === 'content_filter')
    throw new CallFailed({
      reason: 'refused',
      message: 'The endpoint’s content filter refused to answer.',
    });
  const { model, usage } = attempt;
  yield {
    type: 'finished',
    reply: { content: reply.content(provider), stop: stopOf(finish), usage, model },
  };
}

const stopOf = (finish: string): StopReason => (finish === 'length' ? 'length' : 'stop');

class GrowingReply {
  readonly #model: string;
  readonly #takenIds: Set<string>;
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #calls = new Map<number, GrowingCall>();
  #field: ReasoningField = 'reasoning_content';

  constructor({ model, messages }: ModelRequest) {
    this.#model = model;
    this.#takenIds = new Set(
      messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
      ),
    );
  }

  *grow(delta: Delta): Generator<ModelEvent> {
    this.#field = delta.reasoning ? 'reasoning' : this.#field;
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (reasoning) {
      this.#reasoning.push(reasoning);
      yield { type: 'thinking.delta', text: reasoning };
    }
    const text = delta.content || delta.refusal;
    if (text) {
      this.#text.push(text);
      yield { type: 'text.delta', text };
    }
    for (const call of delta.tool_calls ?? []) yield* this.#growCall(call);
  }

  *#growCall(delta: CallDelta): Generator<ModelEvent> {
    const index = this.#indexOf(delta);
    const known = this.#calls.get(index);
    if (known !== undefined) {
      known.parts.push(delta.function?.arguments ?? '');
      return;
    }
    const call = {
      id: this.#freeId(delta.id),
      sentId: delta.id,
      name: delta.function?.name ?? '',
      parts: [delta.function?.arguments ?? ''],
    };
    this.#calls.set(index, call);
    yield { type: 'tool_call.started', id: call.id, name: call.name };
  }

  #indexOf({ index, id, function: called }: CallDelta & { index?: number }): number {
    if (typeof index === 'number') return index;
    const last = this.#calls.size - 1;
    const isNext = id ? this.#calls.get(last)?.sentId !== id : Boolean(called?.name);
    return isNext ? last + 1 : Math.max(0, last);
  }

  /**
   * Returns an id that no other call of the conversation has. Some servers omit ids, or count from
   * 0 in every reply.
   */
  #freeId(sent: string | undefined): string {
    const id =
      sent && !this.#takenIds.has(sent)
        ? sent
        : `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    this.#takenIds.add(id);
    return id;
  }

  content(provider: string): AssistantBlock[] {
    const blocks: AssistantBlock[] = [];
    const [reasoning, text] = [this.#reasoning.join(''), this.#text.join('')];
    const item: ReasoningItem = { field: this.#field, text: reasoning };
    if (reasoning !== '')
      blocks.push(ownThinking(reasoning, provider, { model: this.#model, item }));
    if (text !== '') blocks.push({ type: 'text', text });
    return [...blocks, ...[...this.#calls.values()].map(finishedCall)];
  }
}

const finishedCall = ({ id, name, parts }: GrowingCall): ToolCallBlock => ({
  type: 'tool_call',
  id,
  name,
  input: parsedInput(parts.join('')),
});

/** Converts the usage. `prompt_tokens` includes cached input, which `Usage` counts separately. */
function usageOf(usage: CompletionUsage): Usage {
  const { cached_tokens: read = 0, cache_write_tokens: write = 0 } =
    usage.prompt_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, (usage.prompt_tokens ?? 0) - read - write),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: usage.completion_tokens ?? 0,
  };
}
