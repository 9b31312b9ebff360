/** A fake of Anthropic's Messages API. */
import { createHash } from 'node:crypto';
import {
  argumentsOf,
  callId,
  deltas,
  list,
  text,
  usageOf,
  WireServer,
  type Dialect,
  type Frame,
  type Json,
  type JsonObject,
  type WireAnswer,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';

export const startWireAnthropic = (script: WireScript = () => ({})): Promise<WireServer> =>
  new WireServer(anthropic, script).start();

/** The service knows its own thinking again by this. */
const signatureOf = (thinking: string): string =>
  `sig-${createHash('sha256').update(thinking).digest('base64')}`;

/** Bedrock speaks it too, in frames of its own. */
export const anthropic: Dialect = {
  path: '/v1/messages',
  basePath: '',
  frames,
  overloaded: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  errorBody: ({
    status,
    message = 'It failed',
    kind = kinds[status] ?? 'api_error',
  }: WireError) => ({
    type: 'error',
    error: { type: kind, message },
    request_id: 'req_fake',
  }),
  problemWith,
  listing: { path: '/v1/models', page },
};

/** So many at a time, whatever is asked for, so that there is always more than one page. */
const pageSize = 2;

function page(models: readonly JsonObject[], query: URLSearchParams): unknown {
  const from = models.findIndex(({ id }) => id === query.get('after_id')) + 1;
  const data = models.slice(from, from + pageSize);
  return {
    data,
    has_more: from + pageSize < models.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function event(type: string, data: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function frames(answer: WireAnswer, request: WireRequest): Frame[] {
  const usage = usageOf(answer, request);
  const input = {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  };
  const message = {
    id: `msg_${request.index}`,
    type: 'message',
    role: 'assistant',
    model: request.body.model ?? null,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, output_tokens: 1 },
  };
  return [
    { part: 'start', sse: event('message_start', { message }) },
    { part: 'start', sse: event('ping', {}) },
    ...blocks(answer, request).flatMap((block, index) =>
      block.map(({ part, sse }) => ({ part, sse: sse(index) })),
    ),
    {
      part: 'end',
      sse: event('message_delta', {
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: usage.outputTokens },
      }),
    },
    { part: 'end', sse: event('message_stop', {}) },
  ];
}

function stopReason({ stop = 'natural', toolCalls = [] }: WireAnswer): string {
  if (stop === 'paused') return 'pause_turn';
  if (stop !== 'natural') return stop === 'length' ? 'max_tokens' : 'refusal';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

interface BlockFrame {
  readonly part: Frame['part'];
  sse(index: number): string;
}

function block(part: Frame['part'], start: JsonObject, grown: readonly JsonObject[]): BlockFrame[] {
  return [
    { part, sse: (index) => event('content_block_start', { index, content_block: start }) },
    ...grown.map((delta) => ({
      part,
      sse: (index: number) => event('content_block_delta', { index, delta }),
    })),
    { part, sse: (index) => event('content_block_stop', { index }) },
  ];
}

function blocks(
  { thinking, text: said, sources, toolCalls = [] }: WireAnswer,
  request: WireRequest,
): BlockFrame[][] {
  const thought = thinking === undefined ? [] : [thinkingBlock(thinking)];
  const spoken =
    said === undefined
      ? []
      : [
          block('text', { type: 'text', text: '' }, [
            ...deltas(said).map((part) => ({ type: 'text_delta', text: part })),
            ...(sources ?? []).map(citation),
          ]),
        ];
  const calls = toolCalls.map((call, position) =>
    block(
      'tool_call',
      {
        type: 'tool_use',
        id: callId(call, 'toolu_', request, position),
        name: call.name,
        input: {},
      },
      ['', ...deltas(argumentsOf(call))].map((part) => ({
        type: 'input_json_delta',
        partial_json: part,
      })),
    ),
  );
  return [
    ...thought,
    ...(sources === undefined ? [] : webSearch(sources, request)),
    ...spoken,
    ...calls,
  ];
}

type Sources = NonNullable<WireAnswer['sources']>;

/** One more page is found than is cited. */
function webSearch(sources: Sources, { index }: WireRequest): BlockFrame[][] {
  const id = `srvtoolu_${index}`;
  const found = [...sources, { title: 'Uncited', url: 'https://uncited.example/' }].map((page) => ({
    ...{ type: 'web_search_result', encrypted_content: 'enc', page_age: null },
    ...page,
  }));
  return [
    block('start', { type: 'server_tool_use', id, name: 'web_search', input: {} }, [
      { type: 'input_json_delta', partial_json: '{"query":"q"}' },
    ]),
    block('start', { type: 'web_search_tool_result', tool_use_id: id, content: found }, []),
  ];
}

const citation = ({ title, url }: Sources[number]): JsonObject => ({
  type: 'citations_delta',
  citation: {
    type: 'web_search_result_location',
    title,
    url,
    cited_text: `of ${title}`,
    encrypted_index: 'enc',
  },
});

/** Thinking that begins with `redacted:` comes encrypted, as some does. */
function thinkingBlock(thinking: string): BlockFrame[] {
  if (thinking.startsWith('redacted:'))
    return block('thinking', { type: 'redacted_thinking', data: thinking }, []);
  return block('thinking', { type: 'thinking', thinking: '', signature: '' }, [
    ...deltas(thinking).map((part) => ({ type: 'thinking_delta', thinking: part })),
    { type: 'signature_delta', signature: signatureOf(thinking) },
  ]);
}

function problemWith(body: JsonObject): string | undefined {
  const messages = list(body.messages);
  if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (marks(body) > 4)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks(body)}.`;
  const thinking = body.thinking as { budget_tokens?: number } | undefined;
  if ((thinking?.budget_tokens ?? 0) >= body.max_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  return messages
    .map((message, index) => problemOf(message, messages[index + 1], messages[index - 1]))
    .find(Boolean);
}

const marks = (body: JsonObject): number =>
  JSON.stringify(body).split('"cache_control":').length - 1;

function problemOf(
  message: JsonObject,
  next?: JsonObject,
  before?: JsonObject,
): string | undefined {
  const content = list(message.content);
  if (content.some((part) => part.type === 'text' && text(part.text).trim() === ''))
    return 'messages: text content blocks must contain non-whitespace text';
  return message.role === 'assistant'
    ? problemOfReply(content, next)
    : problemOfUser(content, before);
}

function problemOfReply(content: JsonObject[], next: JsonObject | undefined): string | undefined {
  if (/thinking/.test(text(content.at(-1)?.type)))
    return 'The final block in an assistant message cannot be `thinking`.';
  const isForged = content.some(
    (part) => part.type === 'thinking' && part.signature !== signatureOf(text(part.thinking)),
  );
  if (isForged) return 'messages: Invalid `signature` in `thinking` block';
  const called = ids(content, 'tool_use', 'id');
  const odd = called.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id));
  if (odd !== undefined)
    return `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$': ${odd}`;
  if (new Set(called).size < called.length) return '`tool_use` ids must be unique';
  const answered = ids(list(next?.content), 'tool_result', 'tool_use_id');
  const missing = called.filter((id) => !answered.includes(id));
  return missing.length > 0
    ? `\`tool_use\` ids were found without \`tool_result\` blocks: ${missing.join(', ')}`
    : undefined;
}

function problemOfUser(content: JsonObject[], before: JsonObject | undefined): string | undefined {
  const lastResult = content.findLastIndex((part) => part.type === 'tool_result');
  if (content.slice(0, lastResult + 1).some((part) => part.type !== 'tool_result'))
    return 'tool_result blocks must come first in the content';
  const called = ids(list(before?.content), 'tool_use', 'id');
  const orphan = ids(content, 'tool_result', 'tool_use_id').find((id) => !called.includes(id));
  return orphan === undefined
    ? undefined
    : `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`;
}

const ids = (content: JsonObject[], type: string, field: string): string[] =>
  content.filter((part) => part.type === type).map((part) => text(part[field] as Json));
