/**
 * Local model servers that speak the providers' real wire formats, for tests and benchmarks of
 * anything above them.
 *
 *     const server = await startWireAnthropic(({ index }) => (index === 0 ? { text: 'Hello' } : { status: 500 }));
 *     … point a provider (or ANTHROPIC_BASE_URL) at server.url …
 *     server.requests[0].body        // what was asked
 *     await server.close();
 *
 * They add no latency. Each event is written in pieces that split multi-byte characters. A request
 * that the real service would refuse (a call without its result, changed thinking, too many cache
 * marks) is answered 400 as it would be.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Usage } from '../../src/models/model.ts';

export interface WireCall {
  readonly name: string;
  /** Sent as JSON; a string is sent as it is, so that it may be broken. */
  readonly input: unknown;
  /** Made up when absent. */
  readonly id?: string;
}

/** What the model says in one call, in this order. An empty object is an empty reply. */
export interface WireAnswer {
  readonly thinking?: string;
  readonly text?: string;
  /** Of the text, where the format has it (Responses). */
  readonly phase?: 'commentary' | 'final_answer';
  readonly toolCalls?: readonly WireCall[];
  /** What the provider's own web search found and the text cites, where the format has it. */
  readonly sources?: readonly { readonly title: string; readonly url: string }[];
  /**
   * `natural` unless told: the end of the turn, or the wish for results where there are calls.
   * `paused`: the service wants the reply sent back before it goes on (Anthropic).
   */
  readonly stop?: 'natural' | 'length' | 'refused' | 'paused';
  /** Estimated from the lengths where absent. */
  readonly usage?: Partial<Usage>;
  /** Events as the service writes them, in place of those made from the rest (Gemini). */
  readonly raw?: readonly JsonObject[];
  /**
   * Instead of the proper end: nothing more comes (`hang`), the socket is destroyed (`cut`), the
   * response ends as if it were whole (`close`), or an event tells of an overload (`overloaded`).
   */
  readonly breaks?: {
    readonly at: 'connect' | 'text' | 'tool_call' | 'end';
    readonly how: 'hang' | 'cut' | 'close' | 'overloaded';
  };
}

type Breaks = NonNullable<WireAnswer['breaks']>;

/** A refusal before the stream. */
export interface WireError {
  readonly status: number;
  readonly message?: string;
  /** The provider's word for it, such as `insufficient_quota`. */
  readonly kind?: string;
  /** The field at fault, where the provider names it. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type WireReply = WireAnswer | WireError;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface WireRequest {
  /** From 0, over the life of the server. */
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** Resolves when the answer is through or the client has gone. */
  readonly closed: Promise<void>;
}

export type WireScript = (request: WireRequest) => WireReply | Promise<WireReply>;

/** One server-sent event; `part` says what of the answer it carries. */
export interface Frame {
  readonly part: 'start' | 'thinking' | 'text' | 'tool_call' | 'end';
  /** Bytes where the format is not one of text. */
  readonly sse: string | Buffer;
}

/** A provider's wire format. */
export interface Dialect {
  /** Path of the endpoint, under the address of the server, or how such paths look. */
  readonly path: string | RegExp;
  /** Of streams; server-sent events unless told. */
  readonly contentType?: string;
  /** What a client takes as its base URL, under the address of the server. */
  readonly basePath: string;
  frames(answer: WireAnswer, request: WireRequest): Frame[];
  /** The event that says, in a stream that has begun, that the service is overloaded. */
  readonly overloaded: string | Buffer;
  errorBody(error: WireError): unknown;
  /** Why the real service would refuse the request, if it would. */
  problemWith(body: JsonObject): string | undefined;
  /** What the real service refuses for another reason than the body. */
  refusal?(request: WireRequest): WireError | undefined;
  /** The list of models, where the service has one: the answer to a GET of `path`. */
  readonly listing?: {
    readonly path: string;
    page(models: readonly JsonObject[], query: URLSearchParams): unknown;
  };
}

/**
 * What the list of models answers: its entries as the service writes them, a refusal, or nothing at
 * all.
 */
export type WireListing = readonly JsonObject[] | WireError | 'hang';

export class WireServer {
  readonly requests: WireRequest[] = [];
  /** Requests for the list of models. */
  readonly listings: Pick<WireRequest, 'path' | 'headers'>[] = [];
  #offered: WireListing = { status: 404, message: 'No list of models here' };
  readonly #dialect: Dialect;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #script: WireScript;
  #waiting: (() => void)[] = [];

  constructor(dialect: Dialect, script: WireScript) {
    this.#dialect = dialect;
    this.#script = script;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket.setNoDelay(true));
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** The base URL for a client. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#dialect.basePath}`;
  }

  /** Answers requests from now on. */
  reply(script: WireScript): void {
    this.#script = script;
  }

  /** Answers requests for the list of models from now on. */
  offer(listing: WireListing): void {
    this.#offered = listing;
  }

  /** Resolves when `count` requests have come. */
  async received(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Drops what is open; resolves when the port is free. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const path = incoming.url ?? '';
    if (incoming.method === 'GET') return this.#list(path, incoming.headers, response);
    // `claude` adds `?beta=true`.
    if (incoming.method !== 'POST' || !isAt(path.replace(/\?.*/, ''), this.#dialect.path))
      return this.#refuse(response, { status: 404, message: `No ${incoming.method} ${path} here` });
    const request: WireRequest = {
      index: this.requests.length,
      path,
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(parts).toString('utf8')) as JsonObject,
      closed: new Promise<void>((resolve) => response.once('close', resolve)),
    };
    this.requests.push(request);
    for (const wake of this.#waiting.splice(0)) wake();
    const problem = this.#dialect.problemWith(request.body);
    const refused =
      this.#dialect.refusal?.(request) ?? (problem && { status: 400, message: problem });
    const reply = refused || (await this.#scripted(request));
    if ('status' in reply) this.#refuse(response, reply);
    else this.#stream(response, reply, request);
  }

  #list(target: string, headers: IncomingHttpHeaders, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(target, 'http://127.0.0.1');
    const { listing } = this.#dialect;
    if (listing?.path !== pathname)
      return this.#refuse(response, { status: 404, message: `No GET ${pathname} here` });
    this.listings.push({ path: target, headers });
    if (this.#offered === 'hang') return;
    if ('status' in this.#offered) return this.#refuse(response, this.#offered);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(listing.page(this.#offered, searchParams)));
  }

  /** A script that throws is answered by what it threw, as an error that no client makes anew. */
  async #scripted(request: WireRequest): Promise<WireReply> {
    try {
      return await this.#script(request);
    } catch (error) {
      return { status: 400, message: `The script of the fake server failed: ${String(error)}` };
    }
  }

  #refuse(response: ServerResponse, error: WireError): void {
    response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers });
    response.end(JSON.stringify(this.#dialect.errorBody(error)));
  }

  #stream(response: ServerResponse, answer: WireAnswer, request: WireRequest): void {
    const { breaks } = answer;
    if (breaks?.at === 'connect') return this.#break(response, breaks.how);
    const { contentType = 'text/event-stream; charset=utf-8' } = this.#dialect;
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
    const frames = this.#dialect.frames(answer, request);
    const sent = breaks === undefined ? frames : frames.slice(0, breakAt(frames, breaks.at));
    for (const { sse } of sent) for (const piece of pieces(sse)) response.write(piece);
    if (breaks === undefined) response.end();
    else this.#break(response, breaks.how);
  }

  #break(response: ServerResponse, how: Breaks['how']): void {
    // What was written before must arrive before the socket is gone.
    if (how === 'cut') setImmediate(() => response.socket?.destroySoon());
    else if (how === 'overloaded') response.end(this.#dialect.overloaded);
    else if (how === 'close') response.end();
  }
}

const isAt = (path: string, place: string | RegExp): boolean =>
  typeof place === 'string' ? path === place : place.test(path);

/** Half of a part is sent before it breaks; before the end, all of everything else. */
function breakAt(frames: readonly Frame[], part: Frame['part'] | 'connect'): number {
  const first = frames.findIndex((frame) => frame.part === part);
  if (part === 'end') return first;
  const count = frames.filter((frame) => frame.part === part).length;
  return first + Math.max(1, Math.floor(count / 2));
}

/**
 * The bytes of an event, split inside its first multi-byte character, or else inside its first
 * line.
 */
function pieces(sse: string | Buffer): Buffer[] {
  const bytes = Buffer.from(sse);
  const multiByte = bytes.findIndex((byte) => byte >= 0xc0);
  const at = multiByte === -1 ? 5 : multiByte + 1;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

/** Text as models stream it: a few characters at a time, never half a character. */
export function deltas(text: string, size = 12): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}

export const argumentsOf = ({ input }: WireCall): string =>
  typeof input === 'string' ? input : JSON.stringify(input);

export const callId = (
  call: WireCall,
  prefix: string,
  { index }: WireRequest,
  position: number,
): string => call.id ?? `${prefix}${index}_${position}`;

export function usageOf(answer: WireAnswer, { body }: WireRequest): Usage {
  const said = `${answer.thinking ?? ''}${answer.text ?? ''}${(answer.toolCalls ?? []).map(argumentsOf).join('')}`;
  return {
    inputTokens: Math.ceil(JSON.stringify(body).length / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.ceil(said.length / 4) + 1,
    ...answer.usage,
  };
}

export const list = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : [];
export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Arguments come back as the JSON of an object; some servers fail on anything else. */
export function isJsonObject(json: Json | undefined): boolean {
  try {
    const value = JSON.parse(text(json)) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
