/** Converts a `ModelRequest` to the subset of the Messages API that Bedrock supports. */
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { anthropicRequest } from '../anthropic/anthropicRequest.ts';
import type { ModelRequest } from '../model.ts';
import { bedrockDescription } from './bedrockModels.ts';

const defaultMaxOutputTokens = 32_000;

export function bedrockRequest(
  request: ModelRequest,
  provider: string,
): MessageCreateParamsStreaming {
  const { maxOutputTokens: limit } = bedrockDescription(request.model);
  const maxOutputTokens = Math.min(limit, request.maxOutputTokens ?? defaultMaxOutputTokens);
  const body = anthropicRequest({ ...request, maxOutputTokens }, provider);
  // For Claude 4.6, Bedrock uses an older version of the API, which always sends summaries of the
  // thinking and has no option for them.
  const isOlder = /claude-[a-z]+-4-6\b/.test(request.model) && body.thinking?.type === 'adaptive';
  return isOlder ? { ...body, thinking: { type: 'adaptive' } } : body;
}
