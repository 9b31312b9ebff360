import * as z from 'zod';
import { linksIn } from '../../base/links.ts';
import { oneLine } from '../../base/text.ts';
import { untrusted } from '../../base/untrusted.ts';
import type { PagePart, PageRequest } from '../../web/fetchPage.ts';
import { isComposed } from '../../permissions/composedUrl.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface PageReader {
  /**
   * Resolves with the requested part of the page. Rejects with `WebFailure`, or with the abort
   * reason of the signal.
   */
  read(request: PageRequest, signal: AbortSignal): Promise<PagePart>;
}

/**
 * Maximum number of characters of a page per call. With its header and fence, the text stays below
 * the limit of a tool result.
 */
const maxChars = 20_000;
const maxLinks = 500;

export const webFetch = (pages: PageReader): Tool =>
  defineTool({
    name: 'web_fetch',
    description:
      'Read a web page or PDF as text. A long page comes in parts: continue with offset.',
    effect: 'network',
    isRepeatable: true,
    parameters: z.strictObject({
      url: z.string().min(1).max(4000),
      offset: z.int().nonnegative().default(0).describe('Characters to skip. Default: 0.'),
      max_length: z.int().positive().max(maxChars).default(16_000).describe('Default: 16000.'),
    }),
    describe: ({ url, offset }) =>
      `Fetched ${oneLine(url, 120)}${offset > 0 ? ` from ${offset}` : ''}`,
    accesses: ({ url }) => [{ kind: 'host', host: URL.parse(url)?.host ?? url, url }],
    async execute({ url, offset, max_length }, { accesses, signal }) {
      const staysOnHost = isComposed(accesses);
      const part = await pages.read({ url, offset, maxChars: max_length, staysOnHost }, signal);
      return {
        content: shown(part),
        summary: `${part.totalChars} characters`,
        links: [url, part.url, ...linksIn(part.text, maxLinks)],
      };
    },
  });

function shown({ title, url, text, notes, ...part }: PagePart): string {
  const end = part.offset + text.length;
  const isWhole = part.offset === 0 && part.nextOffset === undefined;
  const place = isWhole
    ? `The whole text, ${part.totalChars} characters.`
    : `Characters ${part.offset} to ${end} of ${part.totalChars}${part.nextOffset === undefined ? ', to the end.' : `; continue with offset ${part.nextOffset}.`}`;
  const head = [place, ...notes.map((note) => `Note: ${note}.`)].join(' ');
  const titled = [...(title === undefined ? [] : [title, '']), text || '(no text)'].join('\n');
  return `${head}\n${untrusted(`${oneLine(url, 1000)}\n${titled}`, `page ${url}`)}`;
}
