/** Web search with the tool of the Responses API: the model searches, reads and answers. */
import type {
  ResponseCreateParamsStreaming,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { isReasoningModel, openaiEffort } from '../catalogue.ts';
import type { Attempt } from '../guarded.ts';
import type { ModelProvider, SearchRequest } from '../model.ts';
import type { CallOptions, ProviderIdentity } from '../provider.ts';
import { searching, type FoundSources } from '../searching.ts';
import { readResponses } from './openaiResponsesStream.ts';

export interface SearchMode {
  readonly identity: ProviderIdentity;
  readonly options: CallOptions;
  /**
   * Whether to also request pages that were found but not cited. Not every back end supports this
   * option.
   */
  readonly asksForAllSources: boolean;
  /** Makes the call. May throw. */
  open(
    body: ResponseCreateParamsStreaming,
    signal: AbortSignal,
    attempt: Attempt,
  ): Promise<AsyncIterable<ResponseStreamEvent>>;
}

/** Returns the `search` of a provider, with the retries and failures of its other calls. */
export const responsesSearch = (way: SearchMode): NonNullable<ModelProvider['search']> =>
  searching(
    (query, found) =>
      async function* ({ model }, signal, attempt) {
        const events = await way.open(
          searchBody({ model, query }, way.asksForAllSources),
          signal,
          attempt,
        );
        yield* readResponses(finding(events, found), { provider: way.identity.id, model, attempt });
      },
    way.identity,
    way.options,
  );

const instructions =
  'You search the web for another program. Search, read what matters, and answer the query with facts, figures and names, each with its source. Say what you could not find. Do not ask questions.';

function searchBody(
  { model, query }: SearchRequest,
  asksForAllSources: boolean,
): ResponseCreateParamsStreaming {
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

/** Yields the events. Adds the cited pages to `found` in order, then the other search results. */
async function* finding(
  events: AsyncIterable<ResponseStreamEvent>,
  found: FoundSources,
): AsyncGenerator<ResponseStreamEvent> {
  const items: ResponseOutputItem[] = [];
  for await (const event of events) {
    if (event.type === 'response.output_item.done') items.push(event.item);
    // Readers stop at the end event, so add the sources before it.
    if (isEnd(event)) addFound(items, found);
    yield event;
  }
}

const isEnd = ({ type }: ResponseStreamEvent): boolean =>
  type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed';

function addFound(items: readonly ResponseOutputItem[], found: FoundSources): void {
  const parts = items.flatMap((item) => (item.type === 'message' ? item.content : []));
  for (const annotation of parts.flatMap((part) =>
    part.type === 'output_text' ? part.annotations : [],
  ))
    if (annotation.type === 'url_citation')
      found.add({ title: annotation.title || annotation.url, url: annotation.url });
  for (const item of items)
    if (item.type === 'web_search_call' && item.action.type === 'search') {
      found.searches += 1;
      for (const { url } of item.action.sources ?? []) found.add({ title: url, url });
    }
}
