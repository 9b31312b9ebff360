/**
 * The contract between the agent and a model provider. A provider turns a `ModelRequest` into its
 * own wire format and its replies into `ModelEvent`s; it knows nothing of sessions, tools' effects,
 * or money limits.
 */

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /**
   * A remark on the way or the answer, where the model says which; it wants to be told so again.
   */
  readonly phase?: 'commentary' | 'final_answer';
}

/**
 * Reasoning of the model. `opaque` is the provider's own item; it is replayed only to the provider
 * that made it.
 */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly text: string;
  readonly provider: string;
  readonly opaque?: unknown;
}

export interface ToolCallBlock {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  /**
   * Parsed arguments; the raw text when it was not valid JSON (the tool boundary then refuses it
   * with the reason).
   */
  readonly input: unknown;
  /**
   * What was mended in the text of the call before it could be read: it may not be what the model
   * meant.
   */
  readonly repairs?: readonly string[];
  /**
   * Why the call could not be read, and how it is to be written: its result, in place of being
   * made.
   */
  readonly problem?: string;
}

/** `base64` without a data-URL prefix. */
export interface AttachmentBlock {
  readonly type: 'attachment';
  readonly mediaType: string;
  readonly name: string;
  readonly base64: string;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
  readonly attachments?: readonly AttachmentBlock[];
}

export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock;
export type UserBlock = TextBlock | AttachmentBlock | ToolResultBlock;

export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };

/**
 * A part of the system prompt. Parts marked `isStable` come first and do not change during a
 * session: caches end there.
 */
export interface SystemPart {
  readonly text: string;
  readonly isStable: boolean;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments (an object schema). */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type Effort = 'none' | 'low' | 'medium' | 'high' | 'max';

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /**
   * Names the conversation that this request belongs to (a session's id): what a provider keeps of
   * one (a cache, a process) it keeps apart by this name. The request is whole without it.
   */
  readonly conversation?: string;
}

/**
 * Tokens of one call. `inputTokens` counts uncached input only; the three input figures add up to
 * the context size.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

export const noUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};
export const contextTokens = (usage: Usage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;

export const sumOf = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  outputTokens: one.outputTokens + other.outputTokens,
});

/**
 * - `auth`: key or sign-in missing, expired or refused · `rate_limit`: 429, overloaded, or the
 *   limit of a plan · `overflow`: the prompt is too long for the model · `network`: no answer or a
 *   cut stream · `server`: 5xx · `refused`: content filter · `invalid`: the request was wrong
 *   (unknown model, bad parameter).
 */
export type ModelFailureReason =
  'auth' | 'rate_limit' | 'overflow' | 'network' | 'server' | 'refused' | 'invalid';

export interface ModelFailure {
  readonly reason: ModelFailureReason;
  readonly message: string;
  /** HTTP status where there was one. */
  readonly status?: number;
  /** How long the provider asked to wait. */
  readonly retryAfterMs?: number;
}

/**
 * - `stop`: the model ended its turn · `tools`: it wants results · `length`: cut by the output
 *   limit.
 * Content holds tool calls exactly when the stop is `tools`: a call that was cut, or came with one
 * that was, is dropped.
 */
export type StopReason = 'stop' | 'tools' | 'length' | 'aborted' | 'error';

export interface ModelReply {
  readonly content: readonly AssistantBlock[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /**
   * Tokens of attempts that failed before this reply, where the provider told them: paid for, not
   * in the context.
   */
  readonly discardedUsage?: Usage;
  /** Present exactly when `stop` is `error`. */
  readonly failure?: ModelFailure;
}

/**
 * `attempt.discarded` says that the text streamed so far belongs to an attempt that failed and is
 * being made anew after `delayMs`: a reader drops what it showed. `finished` is always the last
 * event and always comes.
 */
export type ModelEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'thinking.delta'; readonly text: string }
  | { readonly type: 'tool_call.started'; readonly id: string; readonly name: string }
  | { readonly type: 'attempt.discarded'; readonly failure: ModelFailure; readonly delayMs: number }
  | { readonly type: 'finished'; readonly reply: ModelReply };

export interface ModelDescription {
  readonly id: string;
  readonly label: string;
  /** Tokens of input and output together that the model can hold. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /**
   * `text`: it calls tools by the text protocol, for it has no calls of its own. Native unless
   * told.
   */
  readonly toolCalls?: 'native' | 'text';
  /** Whether it can be shown images. Taken for yes unless told. */
  readonly acceptsImages?: boolean;
  /**
   * The efforts that it can be told apart; absent where that is not known, empty where it takes
   * none.
   */
  readonly efforts?: readonly Effort[];
  /** US dollars per million tokens, where the provider says so. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /** Still answers, but is on its way out: never a default. */
  readonly isRetiring?: boolean;
  /**
   * The line it belongs to, such as `claude-opus`, where the provider says so; read from the id
   * otherwise.
   */
  readonly family?: string;
  /** Milliseconds since the epoch, where the provider says so. */
  readonly releasedMs?: number;
}

/**
 * Whether a call could be made now, as far as can be told without making one. `action` says what a
 * user does about it.
 */
export type Readiness =
  | { readonly isReady: true }
  | { readonly isReady: false; readonly problem: string; readonly action: string };

export interface SearchRequest {
  readonly model: string;
  readonly query: string;
}

export interface SearchSource {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
}

/**
 * What a provider's own web search found. `failure` is present exactly when it found nothing out.
 */
export interface SearchReply {
  /** What the model says of the sources. */
  readonly text: string;
  readonly sources: readonly SearchSource[];
  readonly usage: Usage;
  /** Of all attempts: they are charged for beside the tokens. */
  readonly searches: number;
  readonly model: string;
  readonly failure?: ModelFailure;
}

export interface ModelProvider {
  /** An id of `providerList.ts`, or of an endpoint. */
  readonly id: string;
  /** What people read, such as `Anthropic` or `Offline demo (scripted, not a model)`. */
  readonly label: string;
  /** Asked for where no model is named: always an id. */
  readonly defaultModel: string;
  /**
   * The default is the newest of this family, as an alias names it (`opus`). Absent where a user
   * set it, or there is one.
   */
  readonly defaultFamily?: string;
  /**
   * `plan`: calls are covered by a subscription; what they would cost by the list is still counted.
   * Metered unless told.
   */
  readonly billing?: 'metered' | 'plan';
  /** Known models; a model that is not listed can still be asked for. */
  models(): readonly ModelDescription[];
  /**
   * Asks the provider which models it has now. Absent where it cannot be asked. Rejects with
   * `CallFailed`.
   */
  list?(signal: AbortSignal): Promise<readonly ModelDescription[]>;
  /** Absent: always ready. Never rejects, makes no request. */
  readiness?(): Promise<Readiness>;
  /**
   * Never throws, never rejects: failures are data in the last event. Stops within a moment of
   * `signal`'s abort.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** The provider's own web search. Absent where it has none. Never rejects. */
  search?(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  /**
   * What was kept for a conversation is let go of; a later request of it is answered all the same.
   */
  release?(conversation: string): Promise<void>;
}
