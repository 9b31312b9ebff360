/**
 * Web search with the server tool of the Messages API: the model searches and answers, citing its
 * sources.
 */
import type { Anthropic } from '@anthropic-ai/sdk';
import type {
  ContentBlock,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  WebSearchToolResultErrorCode,
} from '@anthropic-ai/sdk/resources/messages';
import { CallFailed, type Attempt } from '../guarded.ts';
import { sumOf, type ModelEvent, type ModelFailureReason } from '../model.ts';
import type { FoundSources } from '../searching.ts';
import { usageOf } from './anthropicStream.ts';

export interface SearchCall {
  readonly model: string;
  readonly query: string;
  readonly found: FoundSources;
  readonly signal: AbortSignal;
  readonly attempt: Attempt;
}

const instructions =
  'You search the web for another program. Search, and answer the query with facts, figures and names, each with its source. Say what you could not find. Do not ask questions.';

const maxSearches = 5;
const maxOutputTokens = 8_192;
/**
 * Maximum number of times that the service may pause a search. After each pause, the client must
 * send the partial reply back to continue the turn.
 */
const maxPauses = 4;

/** Searches the web. Yields the complete answer as one event. May throw. */
export async function* searchAnthropic(
  client: Anthropic,
  call: SearchCall,
): AsyncGenerator<ModelEvent> {
  const { model, query, found, signal, attempt } = call;
  const messages: MessageParam[] = [{ role: 'user', content: query }];
  const content: ContentBlock[] = [];
  for (let pauses = 0; pauses <= maxPauses; pauses++) {
    const message = await whole(
      client.messages.stream(searchParams(model, messages), { signal }).finalMessage(),
    );
    attempt.model = message.model;
    attempt.usage = sumOf(attempt.usage, usageOf(message.usage));
    checkEnd(message);
    content.push(...message.content);
    found.searches += message.content.filter((block) => block.type === 'server_tool_use').length;
    if (message.stop_reason !== 'pause_turn') break;
    messages.push({ role: 'assistant', content: message.content });
  }
  addSources(content, found);
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const { usage } = attempt;
  yield {
    type: 'finished',
    reply: { content: [{ type: 'text', text }], stop: 'stop', usage, model: attempt.model },
  };
}

const searchParams = (
  model: string,
  messages: readonly MessageParam[],
): MessageCreateParamsNonStreaming => ({
  model,
  max_tokens: maxOutputTokens,
  system: instructions,
  messages: [...messages],
  tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: maxSearches }],
});

/**
 * Resolves with the complete message; rejects if the stream ended early. The SDK reports an early
 * end with an error without a status, or with a partial message without a stop reason.
 */
async function whole(message: Promise<Message>): Promise<Message> {
  const answer = await message.catch((error: unknown) => {
    throw error instanceof Error && 'status' in error ? error : cut;
  });
  if (answer.stop_reason === null) throw cut;
  return answer;
}

const cut = new CallFailed({
  reason: 'network',
  message: 'The connection ended before the reply was complete.',
});

function checkEnd({ stop_reason: stop }: Message): void {
  if (stop === 'refusal')
    throw new CallFailed({
      reason: 'refused',
      message: 'Anthropic’s content filter refused to answer.',
    });
}

/**
 * Adds the sources of an answer: first the cited pages with the cited text, then the other search
 * results. Throws `CallFailed` if the search failed and there are no sources.
 */
function addSources(content: readonly ContentBlock[], found: FoundSources): void {
  for (const citation of content.flatMap((block) =>
    block.type === 'text' ? (block.citations ?? []) : [],
  ))
    if (citation.type === 'web_search_result_location')
      found.add({
        title: citation.title ?? citation.url,
        url: citation.url,
        snippet: citation.cited_text,
      });
  const results = content.flatMap((block) =>
    block.type === 'web_search_tool_result' ? [block.content] : [],
  );
  for (const { title, url } of results.flatMap((result) => (Array.isArray(result) ? result : [])))
    found.add({ title, url });
  const [problem] = results.flatMap((result) => (Array.isArray(result) ? [] : [result.error_code]));
  if (problem !== undefined && found.all().length === 0)
    throw new CallFailed({
      reason: reasons[problem],
      message: `Anthropic’s web search failed: ${problem}.`,
    });
}

const reasons: Readonly<Record<WebSearchToolResultErrorCode, ModelFailureReason>> = {
  too_many_requests: 'rate_limit',
  unavailable: 'server',
  invalid_tool_input: 'invalid',
  max_uses_exceeded: 'invalid',
  query_too_long: 'invalid',
  request_too_large: 'invalid',
};
