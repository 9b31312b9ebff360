/** A fake of the Gemini API: `streamGenerateContent`, and the list of models. */
import { createHash } from 'node:crypto';
import {
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
  type WireCall,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';

export const startWireGemini = (script: WireScript = () => ({})): Promise<WireServer> =>
  new WireServer(gemini, script).start();

/** The model of a request, which its path names. */
export const geminiModelOf = (path: string): string => /\/models\/([^:?]+)/.exec(path)?.[1] ?? '';

/** The service knows its own thoughts again by this, and which model they are of. */
const signatureOf = (thought: string, model: string): string =>
  createHash('sha256').update(`${model}\n${thought}`).digest('base64');

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/**
 * `kind` is the `reason` of an `ErrorInfo`; `param` is the delay of a `RetryInfo`, such as `23s`.
 */
const errorBody = ({ status, message = 'It failed', kind, param }: WireError): JsonObject => ({
  error: {
    code: status,
    message,
    status: statuses[status] ?? 'UNKNOWN',
    details: [
      ...(kind === undefined
        ? []
        : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: kind }]),
      ...(param === undefined
        ? []
        : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: param }]),
    ],
  },
});

const event = (data: JsonObject): string => `data: ${JSON.stringify(data)}\r\n\r\n`;

const gemini: Dialect = {
  path: /^\/v1beta\/models\/[^/:]+:(streamGenerateContent|generateContent)$/,
  basePath: '',
  frames,
  overloaded: event(
    errorBody({ status: 503, message: 'The model is overloaded. Please try again later.' }),
  ),
  errorBody,
  problemWith: () => undefined,
  refusal: (request) => {
    const message = problemWith(request);
    return message === undefined ? undefined : { status: 400, message };
  },
  listing: { path: '/v1beta/models', page: (models) => ({ models: [...models] }) },
};

function frames(answer: WireAnswer, request: WireRequest): Frame[] {
  if (answer.raw !== undefined)
    return answer.raw.map((chunk) => ({ part: 'text', sse: event(chunk) }));
  const model = geminiModelOf(request.path);
  const usage = usageOf(answer, request);
  const base = {
    usageMetadata: {
      promptTokenCount: usage.inputTokens + usage.cacheReadTokens,
      ...(usage.cacheReadTokens > 0 && { cachedContentTokenCount: usage.cacheReadTokens }),
    },
    modelVersion: model,
    responseId: `response_${request.index}`,
  };
  const saying = (part: Frame['part'], parts: JsonObject[]): Frame => ({
    part,
    sse: event({ candidates: [{ content: { parts, role: 'model' }, index: 0 }], ...base }),
  });
  const end = {
    candidates: [
      { content: { parts: [], role: 'model' }, finishReason: finishReason(answer), index: 0 },
    ],
    ...base,
    usageMetadata: { ...base.usageMetadata, candidatesTokenCount: usage.outputTokens },
  };
  return [
    ...deltas(answer.thinking ?? '').map((thought) =>
      saying('thinking', [{ text: thought, thought: true }]),
    ),
    ...deltas(answer.text ?? '').map((said) => saying('text', [{ text: said }])),
    ...calls(answer, model, request.index).map((call) => saying('tool_call', [call])),
    { part: 'end', sse: event(end) },
  ];
}

/** The first of parallel calls carries the signature. A call that was cut is not sent at all. */
function calls(
  { toolCalls = [], thinking = '', stop }: WireAnswer,
  model: string,
  index: number,
): JsonObject[] {
  return toolCalls
    .filter(({ input }) => stop !== 'length' || typeof input !== 'string')
    .map((call, position) => ({
      functionCall: { id: call.id ?? `${index}_${position}`, name: call.name, args: argsOf(call) },
      ...(position === 0 && { thoughtSignature: signatureOf(thinking, model) }),
    }));
}

function argsOf({ input }: WireCall): Json {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return input as JsonObject;
  throw new Error('Gemini sends arguments as objects');
}

const finishReason = ({ stop = 'natural' }: WireAnswer): string =>
  ({ natural: 'STOP', length: 'MAX_TOKENS', refused: 'SAFETY', paused: 'STOP' })[stop];

const noSignature = 'skip_thought_signature_validator';

function problemWith({ body, path }: WireRequest): string | undefined {
  const unknown = unknownField(body, [
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'generationConfig',
  ]);
  if (unknown !== undefined) return unknown;
  const contents = list(body.contents);
  if (contents.length === 0) return 'GenerateContentRequest.contents: contents is not specified';
  const model = geminiModelOf(path);
  return contents
    .map(
      (content, index) =>
        problemOfContent(content, contents[index - 1]) ??
        problemOfSignatures(content, index, model),
    )
    .find(Boolean);
}

const unknownField = (value: JsonObject, known: readonly string[]): string | undefined =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`)[0];

const partFields = [
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'inlineData',
];

function problemOfContent(content: JsonObject, before: JsonObject | undefined): string | undefined {
  const parts = list(content.parts);
  if (content.role !== 'user' && content.role !== 'model')
    return 'Please use a valid role: user, model.';
  if (content.role === before?.role || (before === undefined && content.role === 'model'))
    return 'Please ensure that multiturn requests alternate between user and model.';
  if (parts.length === 0)
    return '* GenerateContentRequest.contents: contents.parts must not be empty.';
  return (
    parts.map((part) => problemOfPart(part)).find(Boolean) ??
    problemOfResults(parts, list(before?.parts))
  );
}

function problemOfPart(part: JsonObject): string | undefined {
  const data = partFields.filter(
    (name) => name in part && name !== 'thought' && name !== 'thoughtSignature',
  );
  if (data.length !== 1 || (part.text === '' && part.thoughtSignature === undefined))
    return 'Unable to submit request because it must have exactly one initialized field in a part.';
  return unknownField(part, partFields);
}

function problemOfResults(
  parts: readonly JsonObject[],
  before: readonly JsonObject[],
): string | undefined {
  const called = before.flatMap(({ functionCall }) =>
    functionCall ? [functionCall as JsonObject] : [],
  );
  const answered = parts.flatMap(({ functionResponse }) =>
    functionResponse ? [functionResponse as JsonObject] : [],
  );
  if (called.length !== answered.length)
    return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  const wrong = answered.findIndex(
    ({ id, name }, index) => id !== called[index]?.id || name !== called[index]?.name,
  );
  return wrong === -1
    ? undefined
    : `Function response ${wrong} is not of the function call in its place.`;
}

/**
 * The first call of a turn must be signed, by this model; and any signature must be what it was.
 */
function problemOfSignatures(
  { parts, role }: JsonObject,
  index: number,
  model: string,
): string | undefined {
  if (role !== 'model') return undefined;
  const all = list(parts);
  const thought = all.map((part) => (part.thought === true ? text(part.text) : '')).join('');
  const first = all.find(({ functionCall }) => functionCall !== undefined);
  if (first === undefined) return undefined;
  if (/^gemini-[3-9]/.test(model) && first.thoughtSignature === undefined)
    return `Function call \`${text((first.functionCall as JsonObject).name)}\` in the \`${index + 1}.\` content block is missing a \`thought_signature\`.`;
  const isOwn =
    first.thoughtSignature === undefined || first.thoughtSignature === signatureOf(thought, model);
  return isOwn || first.thoughtSignature === noSignature
    ? undefined
    : 'Thought signature is not valid.';
}
