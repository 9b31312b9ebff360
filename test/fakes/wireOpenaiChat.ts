/** A fake of Chat Completions, as OpenAI has it and as the servers that imitate it do. */
import {
  argumentsOf,
  callId,
  deltas,
  isJsonObject,
  list,
  text,
  usageOf,
  WireServer,
  type Dialect,
  type Frame,
  type Json,
  type JsonObject,
  type WireAnswer,
  type WireCall,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';

/** How the server deviates from the original. */
export interface ChatQuirks {
  /** A call comes whole, in one event. */
  readonly wholeCalls?: boolean;
  readonly noCallIds?: boolean;
  readonly noCallIndexes?: boolean;
  readonly noUsage?: boolean;
  /** Says `stop` where it wants results. */
  readonly alwaysStop?: boolean;
  /** The model has no calls of its own: it writes them into its text. */
  readonly textCalls?: boolean;
  /** `reasoning_content` unless told. */
  readonly reasoningField?: 'reasoning_content' | 'reasoning';
}

export const startWireOpenaiChat = (
  script: WireScript = () => ({}),
  quirks: ChatQuirks = {},
): Promise<WireServer> => new WireServer(chat(quirks), script).start();

const chat = (quirks: ChatQuirks): Dialect => ({
  path: '/v1/chat/completions',
  basePath: '/v1',
  frames: (answer, request) => frames(answer, request, quirks),
  overloaded: `data: ${JSON.stringify({ error: { message: 'Overloaded', type: 'server_error', code: 'overloaded' } })}\n\n`,
  errorBody: ({ status, message = 'It failed', kind }: WireError) => ({
    error: {
      message,
      type: status === 400 ? 'invalid_request_error' : 'error',
      param: null,
      code: kind ?? null,
    },
  }),
  problemWith: (body) => (quirks.textCalls ? toolsIn(body) : problemWith(body)),
  listing: { path: '/v1/models', page: (models) => ({ object: 'list', data: models }) },
});

/** What Ollama says of a model without a template for tools. */
const toolsIn = (body: JsonObject): string | undefined =>
  body.tools === undefined &&
  list(body.messages).every(({ role, tool_calls: calls }) => role !== 'tool' && !calls)
    ? undefined
    : `${text(body.model)} does not support tools`;

function frames(answer: WireAnswer, request: WireRequest, quirks: ChatQuirks): Frame[] {
  const base = {
    id: `chatcmpl-${request.index}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: request.body.model ?? null,
  };
  const chunk = (part: Frame['part'], data: JsonObject): Frame => ({
    part,
    sse: `data: ${JSON.stringify({ ...base, ...data })}\n\n`,
  });
  const delta = (part: Frame['part'], content: JsonObject): Frame =>
    chunk(part, { choices: [{ index: 0, delta: content, finish_reason: null }] });
  const { thinking = '', text: said = '', toolCalls = [] } = answer;
  const field = quirks.reasoningField ?? 'reasoning_content';
  if (answer.raw !== undefined) return answer.raw.map((event) => chunk('text', event));
  return [
    delta('start', { role: 'assistant', content: '' }),
    ...deltas(thinking).map((part) => delta('thinking', { [field]: part })),
    ...deltas(said).map((part) => delta('text', { content: part })),
    ...(quirks.textCalls ? writtenCalls(answer) : []).map((part) =>
      delta('tool_call', { content: part }),
    ),
    ...(quirks.textCalls ? [] : toolCalls)
      .flatMap((call, position) =>
        callDeltas(call, position, quirks, callId(call, 'call_', request, position)),
      )
      .map((call) => delta('tool_call', { tool_calls: [call] })),
    chunk('end', {
      choices: [{ index: 0, delta: {}, finish_reason: finishReason(answer, quirks) }],
    }),
    ...(quirks.noUsage ? [] : [chunk('end', { choices: [], usage: usage(answer, request) })]),
    { part: 'end', sse: 'data: [DONE]\n\n' },
  ];
}

/** As a model writes them that was told how. */
const writtenCalls = ({ text: said = '', toolCalls = [] }: WireAnswer): string[] =>
  deltas(
    toolCalls
      .map((call, index) => {
        const separator = said === '' && index === 0 ? '' : '\n';
        return `${separator}<tool_call>\n{"name": "${call.name}", "arguments": ${argumentsOf(call)}}\n</tool_call>`;
      })
      .join(''),
  );

function finishReason(
  { stop = 'natural', toolCalls = [] }: WireAnswer,
  { alwaysStop, textCalls }: ChatQuirks,
): string {
  if (stop !== 'natural') return stop === 'length' ? 'length' : 'content_filter';
  return toolCalls.length > 0 && !alwaysStop && !textCalls ? 'tool_calls' : 'stop';
}

function callDeltas(
  call: WireCall,
  position: number,
  quirks: ChatQuirks,
  id: string,
): JsonObject[] {
  const place: JsonObject = quirks.noCallIndexes ? {} : { index: position };
  const first: JsonObject = { ...place, ...(quirks.noCallIds ? {} : { id }), type: 'function' };
  const sent = argumentsOf(call);
  if (quirks.wholeCalls) return [{ ...first, function: { name: call.name, arguments: sent } }];
  const named = { ...first, function: { name: call.name, arguments: '' } };
  return [named, ...deltas(sent).map((part) => ({ ...place, function: { arguments: part } }))];
}

function usage(answer: WireAnswer, request: WireRequest): JsonObject {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usageOf(answer, request);
  const prompt_tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
  return {
    prompt_tokens,
    completion_tokens: outputTokens,
    total_tokens: prompt_tokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
  };
}

/** Every call is answered, right after the message that made it. */
function problemWith(body: JsonObject): string | undefined {
  const open = new Set<string>();
  for (const message of list(body.messages)) {
    if (message.role === 'tool') {
      const id = text(message.tool_call_id);
      if (!open.delete(id))
        return `messages with role "tool" must be a response to a preceding message: ${id}`;
    } else if (open.size > 0) {
      return `tool_call_ids did not have response messages: ${[...open].join(', ')}`;
    }
    for (const call of list(message.tool_calls as Json | undefined)) {
      if (!isJsonObject((call.function as JsonObject | undefined)?.arguments))
        return `Invalid arguments: ${text(call.id)}`;
      open.add(text(call.id));
    }
  }
  return open.size > 0
    ? `tool_call_ids did not have response messages: ${[...open].join(', ')}`
    : undefined;
}
