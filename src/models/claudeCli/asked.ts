/**
 * Converts a `ModelRequest` for `claude`: separates the messages that `claude` already knows from
 * the new content.
 */
import { createHash } from 'node:crypto';
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import { anthropicRequest } from '../anthropic/anthropicRequest.ts';
import type { AssistantBlock, ModelRequest } from '../model.ts';

export const claudeCliId = 'claude-cli';

/** A message of the Messages API, with its content always in blocks. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

export interface Asked {
  readonly request: ModelRequest;
  readonly params: MessageCreateParamsStreaming;
  /** All messages before `said`, including `results`. */
  readonly past: readonly Turn[];
  /** Results of calls at the end of `past`; a running `claude` waits for these results. */
  readonly results: readonly ToolResultBlockParam[];
  /** User content after `results`; may be empty. */
  readonly said: readonly ContentBlockParam[];
  /** Digest of the messages before the last one. */
  readonly prefixDigest: string;
  /**
   * Digest of everything that `claude` is started with. If this digest changes, a new process is
   * needed.
   */
  readonly setupDigest: string;
}

export function askedOf(request: ModelRequest): Asked {
  const params = anthropicRequest(request, claudeCliId);
  const messages = params.messages.map(unmarked);
  const last = messages.at(-1);
  const blocks = last?.role === 'user' ? last.content : [];
  const results = blocks.filter((block) => block.type === 'tool_result');
  const before = last?.role === 'user' ? messages.slice(0, -1) : messages;
  const { model, effort, system, tools } = request;
  return {
    request,
    params,
    past: results.length > 0 ? [...before, { role: 'user', content: results }] : before,
    results,
    said: blocks.filter((block) => block.type !== 'tool_result'),
    prefixDigest: digestOf(before),
    setupDigest: digestOf([model, effort, system, tools, params.max_tokens]),
  };
}

/** Returns the `prefixDigest` that the next request has if it continues after this reply. */
export function digestAfter(request: ModelRequest, reply: readonly AssistantBlock[]): string {
  const messages = [...request.messages, { role: 'assistant', content: reply } as const];
  return digestOf(anthropicRequest({ ...request, messages }, claudeCliId).messages.map(unmarked));
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64');

const blocksOf = ({ content }: MessageParam): ContentBlockParam[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Removes cache marks: `claude` sets its own. */
function unmarked(message: MessageParam): Turn {
  const content = blocksOf(message).map((block): ContentBlockParam => {
    const copy = { ...block };
    if ('cache_control' in copy) delete copy.cache_control;
    return copy;
  });
  return { role: message.role === 'assistant' ? 'assistant' : 'user', content };
}
