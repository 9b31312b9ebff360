/**
 * Converts an HTML page to Markdown: only the article if the page has one, otherwise all visible
 * content. Runs in the worker.
 */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { ReadPage } from './pageJob.ts';

/** The part of the DOM's interface that this file uses. */
interface Element {
  readonly parentElement: Element | null;
  readonly textContent: string | null;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

interface Document {
  readonly body: Element | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  cloneNode(deep: boolean): Document;
}

interface Article {
  readonly title?: string | null | undefined;
  readonly content?: string | null | undefined;
  readonly textContent?: string | null | undefined;
}

/**
 * Maximum number of elements of a page. A larger page is not searched for an article, since that
 * would take too long.
 */
const maxElements = 100_000;
/** Maximum nesting depth of a page that is searched for an article. */
const maxDepth = 150;
/**
 * Minimum length of an article, in characters. A shorter text is usually a banner or a cookie
 * notice.
 */
const minChars = 250;

/**
 * The HTML parser, cast to a simpler type: the library's types need the DOM types of a browser,
 * which are not available here.
 */
const parse = parseHTML as unknown as (html: string) => { readonly document: Document };
/**
 * The class that finds the article of a page, cast to a simpler type because the library's types
 * need the DOM types of a browser.
 */
const Judge = Readability as unknown as new (
  document: Document,
  options: { readonly maxElemsToParse: number },
) => { parse(): Article | null };

/**
 * Parses a page or a fragment. Adds the html and body elements that the parser needs around a
 * fragment.
 */
export const parseDocument = (html: string): Document =>
  parse(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`).document;

export function readHtml(html: string, url: string): ReadPage {
  const document = parseDocument(html);
  makeAbsolute(document, url);
  const found = articleOf(document);
  const isArticle = (found?.textContent ?? '').trim().length >= minChars;
  const text = markdown(isArticle ? (found?.content ?? '') : shownIn(document));
  const title = (found?.title || document.querySelector('title')?.textContent || '').trim();
  return { text, ...(title !== '' && { title }) };
}

function articleOf(document: Document): Article | null {
  if (isDeep(document)) return null;
  try {
    return new Judge(document.cloneNode(true), { maxElemsToParse: maxElements }).parse();
  } catch {
    // Readability cannot process the page, which is too large or malformed. The whole page is then
    // shown.
    return null;
  }
}

function isDeep(document: Document): boolean {
  const depths = new Map<Element | null, number>();
  for (const element of document.querySelectorAll('*')) {
    const depth = (depths.get(element.parentElement) ?? 0) + 1;
    if (depth > maxDepth) return true;
    depths.set(element, depth);
  }
  return false;
}

const unseen =
  'script, style, noscript, template, svg, iframe, object, head, title, [hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"]';

function shownIn(document: Document): string {
  for (const element of document.querySelectorAll(unseen)) element.remove();
  return document.body?.innerHTML ?? '';
}

/** Makes links absolute, and removes links other than web and mail links. */
function makeAbsolute(document: Document, url: string): void {
  const base =
    URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  for (const link of document.querySelectorAll('a[href]')) {
    const target = URL.parse(link.getAttribute('href') ?? '', base);
    if (target !== null && /^(https?|mailto):$/.test(target.protocol))
      link.setAttribute('href', target.href);
    else link.removeAttribute('href');
  }
}

function markdown(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  service.addRule('picture', {
    filter: 'img',
    replacement: (_content, node) => {
      const alt = (node as unknown as Element).getAttribute('alt')?.trim();
      return alt ? `[image: ${alt.replace(/\s+/g, ' ')}]` : '';
    },
  });
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => `| ${content.trim().replace(/\s*\n\s*/g, ' ')} `,
  });
  service.addRule('row', { filter: 'tr', replacement: (content) => `\n${content}|` });
  // Turndown receives a parsed document, since it would load its own parser for a string.
  const { document } = parse(
    `<!doctype html><html><body><div id="page">${html}</div></body></html>`,
  );
  return service.turndown(document.querySelector('#page') as unknown as TurndownService.Node);
}
