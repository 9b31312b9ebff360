/** Converts the stream of the Gemini API to `ModelEvent`s. */
import type {
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
} from '@google/genai/web';
import { CallFailed, type Attempt } from '../guarded.ts';
import type { ModelEvent, StopReason, Usage } from '../model.ts';
import { GeminiParts } from './geminiParts.ts';

interface Source {
  readonly provider: string;
  /** The requested model. Stored with the thoughts, which only this model can continue. */
  readonly model: string;
  readonly attempt: Attempt;
}

/** Yields the events of a reply. Ends without `finished` if the connection broke off. */
export async function* readGemini(
  chunks: AsyncIterable<GenerateContentResponse>,
  { provider, model, attempt }: Source,
): AsyncGenerator<ModelEvent> {
  const parts = new GeminiParts();
  let finish: string | undefined;
  for await (const { candidates, modelVersion, usageMetadata, promptFeedback } of chunks) {
    attempt.model = modelVersion ?? attempt.model;
    attempt.usage = usageOf(usageMetadata, attempt.usage);
    if (promptFeedback?.blockReason !== undefined) throw refused(promptFeedback.blockReason);
    const [candidate] = candidates ?? [];
    for (const part of candidate?.content?.parts ?? []) yield* parts.add(part);
    finish = candidate?.finishReason ?? finish;
  }
  if (finish === undefined) return;
  const stop = stopOf(finish);
  const content = parts.blocks({ provider, model, isCut: stop === 'length' });
  yield { type: 'finished', reply: { content, stop, usage: attempt.usage, model: attempt.model } };
}

const refused = (why: string): CallFailed =>
  new CallFailed({
    reason: 'refused',
    message: `Google’s content filter refused to answer (${why}).`,
  });

const refusals =
  /^(SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE|IMAGE_(SAFETY|PROHIBITED_CONTENT|RECITATION))$/;

/**
 * Converts the finish reason. Throws `CallFailed` if the reply failed. A malformed call is reported
 * as a failure of the server, since a retry may succeed.
 */
function stopOf(finish: string): StopReason {
  if (finish === 'STOP') return 'stop';
  if (finish === 'MAX_TOKENS') return 'length';
  if (refusals.test(finish)) throw refused(finish);
  throw new CallFailed({
    reason: 'server',
    message: `Google Gemini stopped its reply (${finish}).`,
  });
}

/**
 * Converts the usage, which reports totals so far; a chunk may omit any of them. Prompt tokens
 * include cached tokens; thoughts count as output.
 */
function usageOf(usage: GenerateContentResponseUsageMetadata | undefined, before: Usage): Usage {
  if (usage === undefined) return before;
  const { promptTokenCount, toolUsePromptTokenCount = 0, cachedContentTokenCount = 0 } = usage;
  const { candidatesTokenCount, thoughtsTokenCount } = usage;
  const hasInput = promptTokenCount !== undefined;
  const hasOutput = candidatesTokenCount !== undefined || thoughtsTokenCount !== undefined;
  return {
    inputTokens: hasInput
      ? Math.max(0, promptTokenCount + toolUsePromptTokenCount - cachedContentTokenCount)
      : before.inputTokens,
    cacheReadTokens: hasInput ? cachedContentTokenCount : before.cacheReadTokens,
    cacheWriteTokens: 0,
    outputTokens: hasOutput
      ? (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0)
      : before.outputTokens,
  };
}
