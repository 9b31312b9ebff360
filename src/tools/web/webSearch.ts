import * as z from 'zod';
import { linksIn } from '../../base/links.ts';
import { capText, oneLine } from '../../base/text.ts';
import { untrusted } from '../../base/untrusted.ts';
import { cleanPage } from '../../web/fetchPage.ts';
import { cleaned, type HitRequest } from '../../web/search.ts';
import type { SearchHit } from '../../web/searchHit.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface SearchFinding {
  /** The search service, such as `Anthropic` or `DuckDuckGo`. */
  readonly via: string;
  readonly hits: readonly SearchHit[];
  /** Summary by a model that read the pages found. */
  readonly text?: string;
  /** Why the usual search service was not used; omitted if that service was used. */
  readonly note?: string;
}

export interface WebSearcher {
  /**
   * Searches the web. Rejects with an error for the model, or with the abort reason of the signal.
   */
  search(request: HitRequest, context: ToolContext): Promise<SearchFinding>;
}

const maxTextChars = 8_000;
const maxNoteChars = 400;
const maxLinks = 20;

export const webSearch = (searcher: WebSearcher): Tool =>
  defineTool({
    name: 'web_search',
    description: 'Search the web for titles, URLs and snippets.',
    guidance: [
      'Find the work of others with web_search and read it with web_fetch. Write what matters to memory, with its URL.',
    ],
    effect: 'network',
    isRepeatable: true,
    parameters: z.strictObject({
      query: z.string().trim().min(1).max(1000),
      max_results: z.int().positive().max(20).default(8).describe('Default: 8.'),
    }),
    aliases: { q: 'query' },
    describe: ({ query }) => `Searched for ${oneLine(query, 120)}`,
    async execute({ query, max_results: maxResults }, context) {
      const { via, hits, text, note } = await searcher.search({ query, maxResults }, context);
      const pages = cleaned(hits, maxResults);
      const found = pages.length === 1 ? '1 page' : `${pages.length} pages`;
      const why = note === undefined ? '' : ` ${oneLine(note, maxNoteChars)}`;
      return {
        content: `${via} found ${found}.${why}\n${shown(via, pages, text)}`,
        summary: `${found}, by ${via}`,
        // Omit links in the summary: the session's model could make the searching model write any
        // address.
        links: pages.flatMap(({ url, snippet = '' }) => [url, ...linksIn(snippet, maxLinks)]),
      };
    },
  });

function shown(via: string, pages: readonly SearchHit[], text = ''): string {
  const summary = capText(cleanPage(text), maxTextChars).text;
  const list = pages.map(({ title, url, snippet }, index) =>
    [`[${index + 1}] ${title}`, url, ...(snippet ? [snippet] : [])].join('\n'),
  );
  const parts = [...(summary === '' ? [] : [summary]), ...list];
  return parts.length === 0
    ? 'Try other words.'
    : untrusted(parts.join('\n\n'), `search results (${via})`);
}
