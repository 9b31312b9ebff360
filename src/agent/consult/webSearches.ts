/**
 * Searches the web. Uses the user's SearxNG instance, or else the session's provider, or else a
 * search service that needs no key.
 */
import { HeliosError, messageOf, ToolFailure } from '../../base/errors.ts';
import type { ModelProvider, SearchReply } from '../../models/model.ts';
import type { SearchFinding, WebSearcher } from '../../tools/web/webSearch.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { WebOptions } from '../../web/download.ts';
import { searxngSearch, type HitRequest, type SearchWeb } from '../../web/search.ts';
import type { EngineSettings } from '../contract/settings.ts';
import { readinessOf, type SideCalls } from './sideCalls.ts';

export interface WebSearchesDeps {
  readonly calls: SideCalls;
  readonly web: WebOptions;
  /** Search service that needs no key; used when no other search is available. */
  readonly keyless: SearchWeb;
  settings(): Pick<EngineSettings, 'web'>;
  /** Returns the session's provider and model. */
  own(): { readonly provider: ModelProvider; readonly model: string };
}

/**
 * Upper bound, from measurements, of the tokens that a provider's search adds to the request as the
 * content of web pages.
 */
const searchContextTokens = 60_000;
const searchOutputTokens = 8_192;

export const createWebSearches = (deps: WebSearchesDeps): WebSearcher => ({
  async search(request, context) {
    const { searxngUrl } = deps.settings().web ?? {};
    if (searxngUrl !== undefined)
      return {
        via: 'SearxNG',
        hits: await searxngSearch(searxngUrl, deps.web)(request, context.signal),
      };
    const native = await nativeSearch(deps, request, context);
    if (native === undefined || typeof native === 'string')
      return withoutModel(deps, request, context, native);
    return native;
  },
});

/**
 * Searches with the session's provider. Resolves with the search result, with the reason why the
 * search failed or was not made (a string), or with `undefined` when the provider offers no search.
 */
async function nativeSearch(
  { calls, own }: WebSearchesDeps,
  { query, maxResults }: HitRequest,
  { callId, signal }: ToolContext,
): Promise<SearchFinding | string | undefined> {
  const { provider, model } = own();
  if (provider.search === undefined) return undefined;
  const readiness = await readinessOf(provider);
  if (!readiness.isReady) return readiness.problem;
  const planned = { contextTokens: searchContextTokens, maxOutputTokens: searchOutputTokens };
  const problem = await calls.longestReply({ provider: provider.id, model, ...planned }).then(
    () => undefined,
    (error: unknown) => messageFor(error),
  );
  if (problem !== undefined) return problem;
  const reply = await provider.search({ model, query }, signal);
  await calls.record('search', callId, provider.id, { ...reply, model });
  signal.throwIfAborted();
  return reply.failure === undefined
    ? findingOf(provider, reply, maxResults)
    : reply.failure.message;
}

const findingOf = (
  { label }: ModelProvider,
  { text, sources }: SearchReply,
  maxResults: number,
): SearchFinding => ({
  via: `The web search of ${label}`,
  hits: sources.slice(0, maxResults),
  text,
});

async function withoutModel(
  { keyless }: WebSearchesDeps,
  request: HitRequest,
  { signal }: ToolContext,
  problem: string | undefined,
): Promise<SearchFinding> {
  const note =
    problem === undefined ? undefined : `The search of the model provider was not used: ${problem}`;
  try {
    const hits = await keyless(request, signal);
    return { via: 'DuckDuckGo', hits, ...(note !== undefined && { note }) };
  } catch (error) {
    if (note === undefined || !(error instanceof HeliosError)) throw error;
    throw new ToolFailure(`${note}\n${error.message}`, { cause: error });
  }
}

function messageFor(error: unknown): string {
  if (error instanceof ToolFailure) return messageOf(error);
  throw error;
}
