/** Web search by the tool of the Responses API: the model searches, reads and says what it found. */
import type {
  ResponseCreateParamsStreaming,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { isReasoningModel, openaiEffort } from '../catalogue.ts';
import type { Attempt, ModelStream } from '../guarded.ts';
import {
  sumOf,
  type ModelFailure,
  type ModelProvider,
  type ModelReply,
  type SearchRequest,
  type SearchSource,
} from '../model.ts';
import { dependable, type CallOptions, type ProviderIdentity } from '../provider.ts';
import { readResponses } from './openaiResponsesStream.ts';

export interface SearchWay {
  readonly identity: ProviderIdentity;
  readonly options: CallOptions;
  /** Asks also for pages that were found and not cited. Not every back end knows the wish. */
  readonly asksForAllSources: boolean;
  /** Makes the call. Free to throw. */
  open(
    body: ResponseCreateParamsStreaming,
    signal: AbortSignal,
    attempt: Attempt,
  ): Promise<AsyncIterable<ResponseStreamEvent>>;
}

/** The `search` of a provider, with the retries and failures of its other calls. */
export function responsesSearch(way: SearchWay): NonNullable<ModelProvider['search']> {
  return async (request, signal) => {
    const sources = new Sources();
    const stream = dependable(
      async function* (_request, inner, attempt) {
        sources.clear();
        const events = await way.open(searchBody(request, way.asksForAllSources), inner, attempt);
        yield* readResponses(sources.reading(events), { provider: way.identity.id, model: request.model, attempt });
      },
      way.identity,
      way.options,
    );
    const reply = await lastReply(stream, request.model, signal);
    const { usage, discardedUsage, model } = reply;
    const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const failure = reply.failure ?? withoutAnswer(reply, text);
    return {
      text,
      sources: sources.all(),
      usage: discardedUsage === undefined ? usage : sumOf(usage, discardedUsage),
      model,
      ...(failure && { failure }),
    };
  };
}

const instructions =
  'You search the web for another program. Search, read what matters, and answer the query with facts, figures and names, each with its source. Say what you could not find. Ask nothing back.';

function searchBody({ model, query }: SearchRequest, asksForAllSources: boolean): ResponseCreateParamsStreaming {
  return {
    model,
    stream: true,
    store: false,
    instructions,
    input: [{ role: 'user', content: [{ type: 'input_text', text: query }] }],
    tools: [{ type: 'web_search', search_context_size: 'medium' }],
    tool_choice: 'auto',
    ...(asksForAllSources && { include: ['web_search_call.action.sources'] }),
    ...(isReasoningModel(model) && { reasoning: { effort: openaiEffort(model, 'low') } }),
  };
}

async function lastReply(stream: ModelStream, model: string, signal: AbortSignal): Promise<ModelReply> {
  for await (const event of stream({ model, system: [], messages: [], tools: [] }, signal))
    if (event.type === 'finished') return event.reply;
  throw new Error('The stream ended without its last event: wrap it in guarded()');
}

function withoutAnswer({ stop }: ModelReply, text: string): ModelFailure | undefined {
  if (stop === 'aborted') return { reason: 'network', message: 'The search was interrupted.' };
  return text.trim() === '' ? { reason: 'server', message: 'The search brought no answer.' } : undefined;
}

/** What was cited, in its order, and then what else was found. */
class Sources {
  readonly #cited = new Map<string, SearchSource>();
  readonly #found = new Set<string>();

  clear(): void {
    this.#cited.clear();
    this.#found.clear();
  }

  all(): readonly SearchSource[] {
    const uncited = [...this.#found].filter((url) => !this.#cited.has(url));
    return [...this.#cited.values(), ...uncited.map((url) => ({ title: url, url }))];
  }

  async *reading(events: AsyncIterable<ResponseStreamEvent>): AsyncGenerator<ResponseStreamEvent> {
    for await (const event of events) {
      if (event.type === 'response.output_item.done') this.#add(event.item);
      yield event;
    }
  }

  #add(item: ResponseOutputItem): void {
    if (item.type === 'web_search_call' && item.action.type === 'search')
      for (const { url } of item.action.sources ?? []) this.#found.add(url);
    if (item.type !== 'message') return;
    const annotations = item.content.flatMap((part) => (part.type === 'output_text' ? part.annotations : []));
    for (const annotation of annotations)
      if (annotation.type === 'url_citation' && !this.#cited.has(annotation.url))
        this.#cited.set(annotation.url, { title: annotation.title || annotation.url, url: annotation.url });
  }
}
