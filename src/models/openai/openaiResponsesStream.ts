/** Converts the stream of the Responses API to `ModelEvent`s. */
import type {
  Response,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
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
  /** The requested model. Stored with the reasoning, which only this model can continue. */
  readonly model: string;
  readonly attempt: Attempt;
}

/** Yields the events of a reply. Ends without `finished` if the connection broke off. */
export async function* readResponses(
  events: AsyncIterable<ResponseStreamEvent>,
  { provider, model, attempt }: Source,
): AsyncGenerator<ModelEvent> {
  const items = new Map<number, ResponseOutputItem>();
  let response: Response | undefined;
  for await (const event of events) {
    yield* deltas(event);
    if (event.type === 'response.created') attempt.model = event.response.model;
    if (event.type === 'response.output_item.done') items.set(event.output_index, event.item);
    response = ended(event) ?? response;
  }
  if (response === undefined) return;
  attempt.usage = usageOf(response.usage);
  const stop = stopOf(response);
  const content = [...items.entries()]
    .sort(([one], [other]) => one - other)
    .flatMap(([, item]) => finishedBlock(item, provider, model));
  yield { type: 'finished', reply: { content, stop, usage: attempt.usage, model: response.model } };
}

function ended(event: ResponseStreamEvent): Response | undefined {
  return event.type === 'response.completed' ||
    event.type === 'response.incomplete' ||
    event.type === 'response.failed'
    ? event.response
    : undefined;
}

function* deltas(event: ResponseStreamEvent): Generator<ModelEvent> {
  if (event.type === 'response.output_text.delta' || event.type === 'response.refusal.delta')
    yield { type: 'text.delta', text: event.delta };
  else if (
    event.type === 'response.reasoning_summary_text.delta' ||
    event.type === 'response.reasoning_text.delta'
  )
    yield { type: 'thinking.delta', text: event.delta };
  else if (event.type === 'response.reasoning_summary_part.added' && event.summary_index > 0)
    yield { type: 'thinking.delta', text: partBreak };
  else if (event.type === 'response.output_item.added' && event.item.type === 'function_call')
    yield { type: 'tool_call.started', id: event.item.call_id, name: event.item.name };
}

const partBreak = '\n\n';

function finishedBlock(
  item: ResponseOutputItem,
  provider: string,
  model: string,
): AssistantBlock[] {
  if (item.type === 'message') {
    const text = textOf(item);
    return text === ''
      ? []
      : [{ type: 'text', text, ...(item.phase ? { phase: item.phase } : {}) }];
  }
  if (item.type === 'function_call')
    return [
      { type: 'tool_call', id: item.call_id, name: item.name, input: parsedInput(item.arguments) },
    ];
  if (item.type !== 'reasoning') return [];
  // Without encrypted content, the item refers to nothing on the server and would be refused when
  // replayed.
  return item.encrypted_content
    ? [ownThinking(summaryOf(item), provider, { model, item })]
    : [{ type: 'thinking', text: summaryOf(item), provider }];
}

const textOf = (item: ResponseOutputMessage): string =>
  item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join('');

const summaryOf = ({ summary, content = [] }: ResponseReasoningItem): string =>
  (summary.length > 0 ? summary : content).map(({ text }) => text).join(partBreak);

function stopOf({ status, error, incomplete_details: incomplete }: Response): StopReason {
  if (status === 'failed')
    throw Object.assign(new Error(error?.message ?? 'The response failed'), { error });
  if (status !== 'incomplete') return 'stop';
  if (incomplete?.reason === 'content_filter')
    throw new CallFailed({
      reason: 'refused',
      message: 'OpenAI’s content filter refused to answer.',
    });
  return 'length';
}

/** Converts the usage. `input_tokens` includes cached input, which `Usage` counts separately. */
function usageOf(usage: ResponseUsage | undefined): Usage {
  if (usage === undefined) return noUsage;
  // Endpoints that imitate the API omit the details.
  const { cached_tokens: read = 0, cache_write_tokens: write = 0 } = (usage.input_tokens_details ??
    {}) as Partial<ResponseUsage.InputTokensDetails>;
  return {
    inputTokens: Math.max(0, usage.input_tokens - read - write),
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: usage.output_tokens,
  };
}
