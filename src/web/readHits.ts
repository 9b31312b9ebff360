/** Reads the search results in DuckDuckGo's HTML page. Runs in the worker. */
import type { FoundHits } from './pageJob.ts';
import { parseDocument } from './readHtml.ts';
import type { SearchHit } from './searchHit.ts';

interface Result {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Result | null;
}

export function readHits(html: string): FoundHits {
  const document = parseDocument(html);
  const results = [...document.querySelectorAll('.result:not(.result--ad)')] as unknown as Result[];
  return {
    hits: results.flatMap(hitOf),
    isChallenge:
      document.querySelector('.anomaly-modal__title, #challenge-form, form[action*="anomaly"]') !==
      null,
  };
}

function hitOf(result: Result): SearchHit[] {
  const link = result.querySelector('a.result__a');
  const url = targetOf(link?.getAttribute('href') ?? '');
  const snippet = textOf(result.querySelector('.result__snippet'));
  return url === undefined
    ? []
    : [{ title: textOf(link), url, ...(snippet !== '' && { snippet }) }];
}

const textOf = (element: Result | null): string =>
  (element?.textContent ?? '').replace(/\s+/g, ' ').trim();

/**
 * Returns the URL that the link of a result leads to. A link to duckduckgo.com contains this URL as
 * the parameter `uddg`; without `uddg`, the link is an advertisement or an internal link, and the
 * function returns `undefined`.
 */
function targetOf(href: string): string | undefined {
  const link = URL.parse(href, 'https://duckduckgo.com');
  const target =
    link !== null && /(^|\.)duckduckgo\.com$/.test(link.hostname)
      ? link.searchParams.get('uddg')
      : href;
  const url = URL.parse(target ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
