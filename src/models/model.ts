/**
 * The contract between the agent and a model provider. A provider converts a `ModelRequest` to its
 * own wire format, and replies to `ModelEvent`s. Providers do not depend on sessions, tools or
 * limits.
 */
import type { Effort } from './effort.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /**
   * Whether the text is an intermediate remark or the final answer, if the model reports that. The
   * model needs the value back in the next request.
   */
  readonly phase?: 'commentary' | 'final_answer';
}

/**
 * Reasoning of the model. `opaque` is the reasoning in the provider's own format. It is sent back
 * only to the provider and model that produced it.
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
   * Parsed arguments, or the raw text if that is not valid JSON. The call is then refused with the
   * reason.
   */
  readonly input: unknown;
  /**
   * Repairs that made the text of the call readable. The repaired call may differ from what the
   * model meant.
   */
  readonly repairs?: readonly string[];
  /**
   * Why the call could not be read, and how to write it correctly. Such a call is not executed:
   * this text becomes its result.
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
 * session, so that providers can cache them.
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

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  /**
   * Id of the conversation (the session's id). Providers use the id to separate the caches and
   * processes of conversations. Optional: a request always contains all messages.
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
 * Reasons why a call failed:
 * - `auth`: key or sign-in missing, expired or refused
 * - `credit`: the account has no credit
 * - `not_api`: the answer is a web page, such as that of a proxy
 * - `rate_limit`: 429, overloaded, or the limit of a plan
 * - `overflow`: the prompt is too long for the model
 * - `network`: no answer, or the connection broke off during the reply
 * - `server`: 5xx
 * - `refused`: content filter
 * - `invalid`: the request was wrong (unknown model, bad parameter)
 */
export type ModelFailureReason =
  | 'auth'
  | 'credit'
  | 'not_api'
  | 'rate_limit'
  | 'overflow'
  | 'network'
  | 'server'
  | 'refused'
  | 'invalid';

export interface ModelFailure {
  readonly reason: ModelFailureReason;
  readonly message: string;
  /** First sentence of the message, for front ends that offer buttons in place of the advice. */
  readonly problem?: string;
  /** HTTP status, if there was one. */
  readonly status?: number;
  /** Time to wait before a retry, as requested by the provider, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * Reasons why a reply ended:
 * - `stop`: the model ended its turn
 * - `tools`: the model waits for results
 * - `length`: truncated at the output limit
 * - `aborted`: the signal was aborted
 * - `error`: the call failed; see `failure`
 *
 * Content holds tool calls exactly when the stop is `tools`: the calls of any other reply may be
 * incomplete, and are dropped.
 */
export type StopReason = 'stop' | 'tools' | 'length' | 'aborted' | 'error';

export interface ModelReply {
  readonly content: readonly AssistantBlock[];
  readonly stop: StopReason;
  readonly usage: Usage;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /**
   * Tokens of attempts that failed before this reply, if the provider reported them. These tokens
   * are billed, but are not part of the context size.
   */
  readonly discardedUsage?: Usage;
  /** Present exactly when `stop` is `error`. */
  readonly failure?: ModelFailure;
}

/**
 * Event of a streaming reply. `attempt.discarded`: the attempt failed and is retried after
 * `delayMs`; a reader has to discard what was streamed so far. `finished`: always the last event,
 * and never missing.
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
  /** `text`: the model has no native tool calls and uses the text protocol. Default: native. */
  readonly toolCalls?: 'native' | 'text';
  /** Whether the model accepts images. Default: true. */
  readonly acceptsImages?: boolean;
  /** Reasoning efforts that differ in effect; empty if there are none, absent if unknown. */
  readonly efforts?: readonly Effort[];
  /** US dollars per million tokens, if the provider reports prices. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
  /**
   * Whether the provider will remove the model soon. Such a model still works, but is never a
   * default.
   */
  readonly isRetiring?: boolean;
  /** Family of the model, such as `claude-opus`. Default: the family that the id shows. */
  readonly family?: string;
  /** Release time in milliseconds since the epoch, if the provider reports one. */
  readonly releasedMs?: number;
}

/**
 * Whether a call could be made now, determined without making a call. `action` states what the user
 * can do if not.
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

/** Result of a provider's own web search. `failure` is present exactly when the search failed. */
export interface SearchReply {
  /** The model's answer, based on the sources. */
  readonly text: string;
  readonly sources: readonly SearchSource[];
  readonly usage: Usage;
  /** Number of web searches in all attempts at the call; billed in addition to the tokens. */
  readonly searches: number;
  readonly model: string;
  readonly failure?: ModelFailure;
}

export interface ModelProvider {
  /** An id of `providerList.ts`, or of an endpoint. */
  readonly id: string;
  /** Display name, such as `Anthropic` or `Offline demo (scripted, not a model)`. */
  readonly label: string;
  /** Id of the model that is used by default. */
  readonly defaultModel: string;
  /**
   * Alias of the family whose newest model is the default, such as `opus`. Absent if the user set a
   * model, or if the provider has only one model.
   */
  readonly defaultFamily?: string;
  /**
   * Billing of calls. `plan`: a subscription covers the calls; Helios still adds up their list
   * price. `metered`: each call is billed. Default: metered.
   */
  readonly billing?: 'metered' | 'plan';
  /** Known models; other models can still be requested. */
  models(): readonly ModelDescription[];
  /**
   * Fetches the current models from the provider. Absent if the provider cannot list models.
   * Rejects with `CallFailed`.
   */
  list?(signal: AbortSignal): Promise<readonly ModelDescription[]>;
  /**
   * Reports whether calls can be made. Never rejects and makes no request. If absent, the provider
   * is always ready.
   */
  readiness?(): Promise<Readiness>;
  /**
   * Streams a reply. Never throws, never rejects: failures are data in the last event. Stops within
   * a moment of `signal`'s abort.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Searches the web with the provider's own search. Absent if the provider has no search. Never
   * rejects.
   */
  search?(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  /**
   * Releases the resources held for a conversation. Later requests of the same conversation still
   * work.
   */
  release?(conversation: string): Promise<void>;
}
