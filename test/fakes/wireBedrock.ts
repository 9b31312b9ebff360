/**
 * A fake of InvokeModelWithResponseStream: the events of the Messages API in the binary frames of
 * AWS.
 */
import { crc32 } from 'node:zlib';
import {
  WireServer,
  type Dialect,
  type Frame,
  type JsonObject,
  type WireAnswer,
  type WireError,
  type WireRequest,
  type WireScript,
} from './wire.ts';
import { anthropic } from './wireAnthropic.ts';

export const startWireBedrock = (script: WireScript = () => ({})): Promise<WireServer> =>
  new WireServer(bedrock, script).start();

/** The model of a request, which its path names. */
export const bedrockModelOf = (path: string): string =>
  decodeURIComponent(/^\/model\/([^/]+)\//.exec(path)?.[1] ?? '');

const bedrock: Dialect = {
  path: /^\/model\/[^/]+\/invoke-with-response-stream$/,
  basePath: '',
  contentType: 'application/vnd.amazon.eventstream',
  frames: (answer, request) =>
    answer.raw === undefined ? frames(answer, request) : answer.raw.map(rawFrame),
  overloaded: exceptionFrame(
    'throttlingException',
    'Too many requests, please wait before trying again.',
  ),
  errorBody: ({ message = 'It failed' }: WireError) => ({ message }),
  problemWith,
  refusal: ({ headers }) =>
    isSigned(headers) ? undefined : { status: 403, message: 'Missing Authentication Token' },
};

/** Anthropic's own name of the model is what the events tell, whatever AWS calls it. */
function frames(answer: WireAnswer, request: WireRequest): Frame[] {
  const model = bedrockModelOf(request.path).replace(/^.*anthropic\./, '');
  const asked = { ...request, body: { ...request.body, model } };
  return anthropic.frames(answer, asked).map(({ part, sse }) => ({
    part,
    sse: chunkFrame(/^data: (.*)$/m.exec(String(sse))?.[1] ?? ''),
  }));
}

/**
 * An event of the Messages API, or an exception: `{ exception: 'throttlingException', message: '…'
 * }`.
 */
const rawFrame = (event: JsonObject): Frame => ({
  part: 'text',
  sse:
    typeof event.exception === 'string'
      ? exceptionFrame(event.exception, String(event.message))
      : chunkFrame(JSON.stringify(event)),
});

const chunkFrame = (json: string): Buffer =>
  frame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abcdefgh' }),
  );

function exceptionFrame(type: string, message: string): Buffer {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
}

/**
 * Lengths of all and of the headers, their checksum, the headers, the payload, and the checksum of
 * all.
 */
function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(head.length + body.length + 16, 0);
  prelude.writeUInt32BE(head.length, 4);
  const all = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([all, checksum(all)]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(3);
  const textType = 7;
  length.writeUInt8(textType, 0);
  length.writeUInt16BE(Buffer.byteLength(value), 1);
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), length, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

/**
 * The body names neither the model nor that it wants a stream, for the path does; and has an own
 * name for the version.
 */
function problemWith(body: JsonObject): string | undefined {
  const extra = ['model', 'stream'].find((name) => name in body);
  if (extra !== undefined)
    return `Malformed input request: #: extraneous key [${extra}] is not permitted`;
  if (body.anthropic_version !== 'bedrock-2023-05-31')
    return 'anthropic_version: Input should be "bedrock-2023-05-31"';
  return anthropic.problemWith(body);
}

const signature =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=[a-z0-9;-]*\bhost\b[a-z0-9;-]*, Signature=[0-9a-f]{64}$/;

/** A key of Bedrock's own, or a signature with its date. */
function isSigned({ authorization = '', 'x-amz-date': date }: WireRequest['headers']): boolean {
  if (authorization.startsWith('Bearer ')) return authorization.length > 'Bearer '.length;
  return signature.test(authorization) && /^\d{8}T\d{6}Z$/.test(String(date));
}
