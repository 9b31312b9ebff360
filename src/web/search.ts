/**
 * Searches the web without a model: with the user's SearxNG instance if one is configured,
 * otherwise with DuckDuckGo, which needs no key.
 */
import { oneLine } from '../base/text.ts';
import { decodeText } from './charset.ts';
import { download, type Download, type WebOptions } from './download.ts';
import { cleanPage } from './fetchPage.ts';
import { readInWorker } from './readInWorker.ts';
import type { SearchHit } from './searchHit.ts';
import { WebFailure } from './webFailure.ts';

export interface HitRequest {
  readonly query: string;
  readonly maxResults: number;
}

/** Searches the web. Rejects with `WebFailure`, or with the reason of the signal. */
export type SearchWeb = (request: HitRequest, signal: AbortSignal) => Promise<readonly SearchHit[]>;

/**
 * Returns a function that searches with SearxNG. May connect to a private address, since the user
 * configured `baseUrl`.
 */
export const searxngSearch =
  (baseUrl: string, options: WebOptions): SearchWeb =>
  async ({ query, maxResults }, signal) => {
    const url = searxngUrl(baseUrl);
    url.searchParams.set('q', query);
    url.searchParams.set('format', 'json');
    const request = { url: url.href, accept: 'application/json', allowsPrivateAddresses: true };
    const got = await download(request, options, signal).catch((error: unknown) => {
      throw isForbidden(error) ? new WebFailure('search', jsonIsOff, { cause: error }) : error;
    });
    return cleaned(hitsOf(got), maxResults);
  };

function searxngUrl(baseUrl: string): URL {
  const url = URL.parse(`${baseUrl.trim().replace(/\/+$/, '')}/search`);
  if (url !== null) return url;
  throw new WebFailure(
    'search',
    'The setting helios.web.searxngUrl is not a URL. Use one like http://localhost:8888.',
  );
}

const jsonIsOff =
  'The SearxNG instance refused the request (403). Its settings.yml must list json under search: formats:. Until the user changes that, continue without searching, or fetch known pages with web_fetch.';

const isForbidden = (error: unknown): boolean =>
  error instanceof WebFailure && error.status === 403;

function hitsOf({ bytes, charset }: Download): SearchHit[] {
  const results = resultsIn(decodeText(bytes, charset));
  if (results === undefined)
    throw new WebFailure(
      'search',
      'The server at helios.web.searxngUrl is not a SearxNG instance: it sent no list of results. The user has to correct the setting.',
    );
  return results.flatMap(({ title, url, content }) =>
    typeof url === 'string' && /^https?:/i.test(url)
      ? [
          {
            title: typeof title === 'string' ? title : '',
            url,
            ...(typeof content === 'string' && { snippet: content }),
          },
        ]
      : [],
  );
}

type Fields = Readonly<Record<string, unknown>>;

function resultsIn(text: string): Fields[] | undefined {
  try {
    const { results } = JSON.parse(text) as Fields;
    return Array.isArray(results)
      ? results.filter((one): one is Fields => typeof one === 'object' && one !== null)
      : undefined;
  } catch {
    return undefined;
  }
}

const duckDuckGoUrl = 'https://html.duckduckgo.com/html/';

export const duckDuckGoSearch =
  (options: WebOptions, baseUrl = duckDuckGoUrl): SearchWeb =>
  async ({ query, maxResults }, signal) => {
    const url = new URL(baseUrl);
    url.searchParams.set('q', query);
    const got = await download({ url: url.href, accept: 'text/html' }, options, signal);
    const html = decodeText(got.bytes, got.charset);
    const { hits, isChallenge } = await readInWorker(
      { kind: 'hits', html },
      { clock: options.clock, signal },
    );
    if (isChallenge || (got.status === 202 && hits.length === 0))
      throw new WebFailure('search', challenged);
    return cleaned(hits, maxResults);
  };

const challenged =
  'DuckDuckGo blocked the search as automated and asks for a CAPTCHA. Try again later, or fetch known pages with web_fetch (arxiv.org, huggingface.co, github.com, a project’s documentation). The user can set helios.web.searxngUrl, or use a model provider with built-in search.';

const maxTitleChars = 200;
const maxUrlChars = 1000;
const maxSnippetChars = 500;

/** Returns at most `maxResults` results, each URL once, with cleaned and shortened texts. */
export function cleaned(hits: readonly SearchHit[], maxResults: number): SearchHit[] {
  const urls = new Set<string>();
  const isNew = ({ url }: SearchHit): boolean =>
    url.length <= maxUrlChars && !urls.has(url) && urls.add(url).size > 0;
  return hits
    .filter(isNew)
    .slice(0, maxResults)
    .map(({ title, url, snippet }) => ({
      title: oneLine(cleanPage(title), maxTitleChars),
      url: oneLine(cleanPage(url), maxUrlChars),
      ...(snippet !== undefined && { snippet: oneLine(cleanPage(snippet), maxSnippetChars) }),
    }));
}
