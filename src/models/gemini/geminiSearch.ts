/** Web search with Google by a Gemini model. Collects the pages that support the answer. */
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  GroundingMetadata,
} from '@google/genai/web';
import type { SearchSource } from '../model.ts';
import type { FoundSources } from '../searching.ts';

const instructions =
  'You search the web for another program. Search, and answer the query with facts, figures and names. Say what you could not find. Do not ask questions.';

export const searchRequest = (
  model: string,
  query: string,
  abortSignal: AbortSignal,
): GenerateContentParameters => ({
  model,
  contents: [{ role: 'user', parts: [{ text: query }] }],
  config: {
    abortSignal,
    systemInstruction: { parts: [{ text: instructions }] },
    tools: [{ googleSearch: {} }],
  },
});

export interface Finding {
  readonly found: FoundSources;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly signal: AbortSignal;
}

/** Yields the answer. Adds its sources to `found` once the answer is complete. */
export async function* findingSources(
  chunks: AsyncIterable<GenerateContentResponse>,
  { found, fetch = globalThis.fetch, signal }: Finding,
): AsyncGenerator<GenerateContentResponse> {
  let grounding: GroundingMetadata | undefined;
  for await (const chunk of chunks) {
    grounding = chunk.candidates?.[0]?.groundingMetadata ?? grounding;
    yield chunk;
  }
  found.searches += grounding?.webSearchQueries?.length ?? 0;
  const sources = sourcesOf(grounding ?? {});
  for (const source of await Promise.all(sources.map((each) => resolved(each, fetch, signal))))
    found.add(source);
}

/** Returns each source with the first sentence of the answer that the source supports. */
const sourcesOf = ({
  groundingChunks = [],
  groundingSupports = [],
}: GroundingMetadata): SearchSource[] =>
  groundingChunks.flatMap(({ web }, index) => {
    if (web?.uri === undefined) return [];
    const support = groundingSupports.find(({ groundingChunkIndices = [] }) =>
      groundingChunkIndices.includes(index),
    );
    const snippet = support?.segment?.text;
    return [
      {
        title: web.title ?? web.domain ?? web.uri,
        url: web.uri,
        ...(snippet !== undefined && { snippet }),
      },
    ];
  });

const resolveTimeoutMs = 5_000;

/**
 * Resolves with the page behind a redirect of Google's search, because the redirect expires within
 * weeks. Never rejects.
 */
async function resolved(
  source: SearchSource,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<SearchSource> {
  if (!source.url.includes('/grounding-api-redirect/')) return source;
  try {
    const response = await fetch(source.url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(resolveTimeoutMs)]),
    });
    return { ...source, url: response.headers.get('location') ?? source.url };
  } catch {
    // The redirect still works for some weeks.
    return source;
  }
}
