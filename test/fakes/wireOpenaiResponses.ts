/** A fake of OpenAI's Responses API. */
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
  type JsonObject,
  type WireAnswer,
  type WireCall,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';

export const startWireOpenaiResponses = (script: WireScript = () => ({})): Promise<WireServer> =>
  new WireServer(responses, script).start();

/** The service knows its own reasoning again by this. */
const encrypted = (thinking: string): string => `enc-${Buffer.from(thinking).toString('base64')}`;

export const responses: Dialect = {
  path: '/v1/responses',
  basePath: '/v1',
  frames,
  overloaded: frame('start', 'error', {
    code: 'rate_limit_exceeded',
    message: 'The server is overloaded',
    param: null,
    sequence_number: 99,
  }).sse,
  errorBody: ({ status, message = 'It failed', kind, param }: WireError) => ({
    error: {
      message,
      type: status === 400 ? 'invalid_request_error' : 'error',
      param: param ?? null,
      code: kind ?? null,
    },
  }),
  problemWith,
  listing: { path: '/v1/models', page: (data) => ({ object: 'list', data }) },
};

function frame(part: Frame['part'], type: string, data: JsonObject): Frame {
  return { part, sse: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` };
}

type Numbered = readonly [part: Frame['part'], type: string, data: JsonObject];

function frames(answer: WireAnswer, request: WireRequest): Frame[] {
  const usage = usageOf(answer, request);
  const output = items(answer, request);
  const base = {
    id: `resp_${request.index}`,
    object: 'response',
    model: request.body.model ?? null,
    error: null,
  };
  const { status, reason } = ending(answer);
  const read = usage.cacheReadTokens;
  const input = usage.inputTokens + read + usage.cacheWriteTokens;
  const final = {
    ...base,
    status,
    incomplete_details: reason === undefined ? null : { reason },
    output: output.map(({ item }) => item),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: usage.cacheWriteTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + usage.outputTokens,
    },
  };
  const numbered: Numbered[] = [
    ['start', 'response.created', { response: { ...base, status: 'in_progress', output: [] } }],
    ...output.flatMap(({ events }, index) =>
      events.map(([part, type, data]): Numbered => [part, type, { output_index: index, ...data }]),
    ),
    ['end', `response.${status}`, { response: final }],
  ];
  return numbered.map(([part, type, data], index) =>
    frame(part, type, { ...data, sequence_number: index }),
  );
}

function ending({ stop = 'natural' }: WireAnswer): { status: string; reason?: string } {
  if (stop === 'natural') return { status: 'completed' };
  return {
    status: 'incomplete',
    reason: stop === 'length' ? 'max_output_tokens' : 'content_filter',
  };
}

interface Item {
  readonly item: JsonObject;
  readonly events: readonly Numbered[];
}

function items(answer: WireAnswer, request: WireRequest): Item[] {
  const { thinking, text: said, toolCalls = [], stop, sources } = answer;
  const thought = thinking === undefined ? [] : [reasoning(thinking, request)];
  const searched = sources === undefined ? [] : [webSearch(sources, request)];
  const spoken = said === undefined ? [] : [message(said, answer, request)];
  const calls = toolCalls.map((call, position) => {
    const isCut = stop === 'length' && position === toolCalls.length - 1;
    return functionCall(
      call,
      callId(call, 'call_', request, position),
      isCut ? 'incomplete' : 'completed',
    );
  });
  return [...thought, ...searched, ...spoken, ...calls];
}

function reasoning(thinking: string, { index }: WireRequest): Item {
  const id = `rs_${index}`;
  const item = {
    id,
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: thinking }],
    encrypted_content: encrypted(thinking),
  };
  return {
    item,
    events: [
      ['thinking', 'response.output_item.added', { item: { id, type: 'reasoning', summary: [] } }],
      [
        'thinking',
        'response.reasoning_summary_part.added',
        { item_id: id, summary_index: 0, part: { type: 'summary_text', text: '' } },
      ],
      ...deltas(thinking).map((delta): Numbered => [
        'thinking',
        'response.reasoning_summary_text.delta',
        { item_id: id, summary_index: 0, delta },
      ]),
      ['thinking', 'response.output_item.done', { item }],
    ],
  };
}

/** The pages are told only where they are asked for; one more is found than is cited. */
function webSearch(
  sources: NonNullable<WireAnswer['sources']>,
  { index, body }: WireRequest,
): Item {
  const urls = [...sources.map(({ url }) => url), 'https://uncited.example/'];
  const isWished = JSON.stringify(body.include ?? []).includes('web_search_call.action.sources');
  const told = isWished ? { sources: urls.map((url) => ({ type: 'url', url })) } : {};
  const base = { id: `ws_${index}`, type: 'web_search_call' };
  const item = { ...base, status: 'completed', action: { type: 'search', query: 'q', ...told } };
  return {
    item,
    events: [
      ['start', 'response.output_item.added', { item: { ...base, status: 'in_progress' } }],
      ['start', 'response.output_item.done', { item }],
    ],
  };
}

function message(said: string, { phase, sources = [] }: WireAnswer, { index }: WireRequest): Item {
  const annotations = sources.map((source) => ({
    type: 'url_citation',
    start_index: 0,
    end_index: 1,
    ...source,
  }));
  const base = {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    ...(phase === undefined ? {} : { phase }),
  };
  const item = {
    ...base,
    status: 'completed',
    content: [{ type: 'output_text', text: said, annotations }],
  };
  const place = { item_id: base.id, content_index: 0 };
  return {
    item,
    events: [
      [
        'text',
        'response.output_item.added',
        { item: { ...base, status: 'in_progress', content: [] } },
      ],
      [
        'text',
        'response.content_part.added',
        { ...place, part: { type: 'output_text', text: '', annotations: [] } },
      ],
      ...deltas(said).map((delta): Numbered => [
        'text',
        'response.output_text.delta',
        { ...place, delta },
      ]),
      ['text', 'response.output_text.done', { ...place, text: said }],
      ['text', 'response.output_item.done', { item }],
    ],
  };
}

function functionCall(call: WireCall, call_id: string, status: string): Item {
  const id = `fc_${call_id}`;
  const base = { id, type: 'function_call', call_id, name: call.name };
  const item = { ...base, status, arguments: argumentsOf(call) };
  return {
    item,
    events: [
      [
        'tool_call',
        'response.output_item.added',
        { item: { ...base, status: 'in_progress', arguments: '' } },
      ],
      ...deltas(argumentsOf(call)).map((delta): Numbered => [
        'tool_call',
        'response.function_call_arguments.delta',
        { item_id: id, delta },
      ]),
      [
        'tool_call',
        'response.function_call_arguments.done',
        { item_id: id, arguments: argumentsOf(call) },
      ],
      ['tool_call', 'response.output_item.done', { item }],
    ],
  };
}

function problemWith(body: JsonObject): string | undefined {
  const input = list(body.input);
  const garbled = input.find(
    (item) => item.type === 'function_call' && !isJsonObject(item.arguments),
  );
  if (garbled !== undefined) return `Invalid arguments of function call ${text(garbled.call_id)}.`;
  const called = input
    .filter(({ type }) => type === 'function_call')
    .map((item) => text(item.call_id));
  const answered = input
    .filter(({ type }) => type === 'function_call_output')
    .map((item) => text(item.call_id));
  const long = called.find((id) => id.length > 64);
  if (long !== undefined)
    return `Invalid 'call_id': string too long. Expected a string with maximum length 64: ${long}`;
  const open = called.find((id) => !answered.includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const orphan = answered.find((id) => !called.includes(id));
  if (orphan !== undefined)
    return `No tool call found for function call output with call_id ${orphan}.`;
  return input.map((item, index) => problemOfReasoning(item, input[index + 1])).find(Boolean);
}

function problemOfReasoning(item: JsonObject, next: JsonObject | undefined): string | undefined {
  if (item.type !== 'reasoning') return undefined;
  const [summary] = list(item.summary);
  if (item.encrypted_content !== encrypted(text(summary?.text)))
    return 'The encrypted content could not be verified.';
  const isFollowed =
    next?.role === 'assistant' || next?.type === 'function_call' || next?.type === 'reasoning';
  return isFollowed
    ? undefined
    : `Item '${text(item.id)}' of type 'reasoning' was provided without its required following item.`;
}
