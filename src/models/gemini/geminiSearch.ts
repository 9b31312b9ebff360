/** Gemini's own web search: by Google, told with the pages that the answer stands on. */
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  GroundingMetadata,
} from '@google/genai/web';
import type { SearchSource } from '../model.ts';
import type { FoundSources } from '../searching.ts';

const instructions =
  'You search the web for another program. Search, and answer the query with facts, figures and names. Say what you could not find. Ask nothing back.';

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

/** Passes the answer on, and adds what it stands on once it is whole. */
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

/** Each with the first sentence of the answer that stands on it. */
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
 * Google tells of pages by redirects of its own that end within weeks; the page itself is what is
 * worth keeping.
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
    // The redirect leads there too, for a while.
    return source;
  }
}
