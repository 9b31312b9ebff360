/** Gemini's own web search: Google, with the sources that the answer stands on. */
import type { GenerateContentResponse, GoogleGenAI, GroundingMetadata } from '@google/genai/web';
import { noUsage, type SearchReply, type SearchRequest, type SearchSource } from '../model.ts';
import { CallFailed } from '../guarded.ts';
import { usageOf } from './geminiStream.ts';

/** Rejects as the SDK does. */
export async function searchGemini(
  client: GoogleGenAI,
  { model, query }: SearchRequest,
  { fetch = globalThis.fetch, signal }: { readonly fetch?: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<SearchReply> {
  const response = await client.models.generateContent({
    model,
    contents: [{ role: 'user', parts: [{ text: query }] }],
    config: { tools: [{ googleSearch: {} }], abortSignal: signal },
  });
  const text = textOf(response);
  const blocked = response.promptFeedback?.blockReason;
  if (blocked !== undefined)
    throw new CallFailed({ reason: 'refused', message: `Google’s content filter refused the search (${blocked}).` });
  const found = sourcesOf(response.candidates?.[0]?.groundingMetadata);
  const sources = await Promise.all(found.map((source) => resolved(source, fetch, signal)));
  return { text, sources, usage: usageOf(response.usageMetadata, noUsage), model: response.modelVersion ?? model };
}

const textOf = ({ candidates }: GenerateContentResponse): string =>
  (candidates?.[0]?.content?.parts ?? []).map(({ text = '', thought }) => (thought === true ? '' : text)).join('');

/** One of each address, with the first sentence of the answer that stands on it. */
function sourcesOf(metadata: GroundingMetadata | undefined): SearchSource[] {
  const sources = new Map<string, SearchSource>();
  for (const [index, { web }] of (metadata?.groundingChunks ?? []).entries()) {
    if (web?.uri === undefined || sources.has(web.uri)) continue;
    const support = metadata?.groundingSupports?.find(({ groundingChunkIndices = [] }) =>
      groundingChunkIndices.includes(index),
    );
    const snippet = support?.segment?.text;
    const title = web.title ?? web.domain ?? web.uri;
    sources.set(web.uri, { title, url: web.uri, ...(snippet !== undefined && { snippet }) });
  }
  return [...sources.values()];
}

const resolveTimeoutMs = 5_000;

/** Sources are told as redirects of Google's, which end within weeks: the page they lead to is what is worth keeping. */
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
    // The redirect itself leads there as well, for a while.
    return source;
  }
}
