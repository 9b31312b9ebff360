/**
 * Reads a web page as text, in parts. Pages are cached for a while, so that reading the next part
 * needs no new request.
 */
import { cleanText, formatBytes, oneLine } from '../base/text.ts';
import { decodeText, looksLikeText } from './charset.ts';
import { download, type Download, type WebOptions } from './download.ts';
import type { ReadPage } from './pageJob.ts';
import { readInWorker } from './readInWorker.ts';
import { WebFailure } from './webFailure.ts';

export interface PageRequest {
  readonly url: string;
  /** Number of characters to skip at the beginning of the text. */
  readonly offset: number;
  readonly maxChars: number;
  /** True if a redirect to another host is refused. Default: false. */
  readonly staysOnHost?: boolean;
}

/** A part of a page. The text is untrusted; only control and invisible characters were removed. */
export interface PagePart {
  /** Final URL, after redirects. */
  readonly url: string;
  readonly title?: string;
  readonly mediaType: string;
  readonly text: string;
  readonly offset: number;
  /** Length of the text of the whole page. */
  readonly totalChars: number;
  /** Offset of the next part; undefined at the end of the text. */
  readonly nextOffset?: number;
  /** Sentences that state what was omitted from the page. */
  readonly notes: readonly string[];
}

interface Page extends Omit<PagePart, 'offset' | 'totalChars' | 'nextOffset'> {
  readonly readMs: number;
}

const accept =
  'text/html, application/xhtml+xml, text/markdown, application/pdf;q=0.9, text/*;q=0.8, */*;q=0.5';
const cachedMs = 15 * 60_000;
const maxCachedChars = 8_000_000;
const maxTextChars = 2_000_000;

export class WebReader {
  readonly #options: WebOptions;
  /** Cached pages by requested URL, oldest first. */
  readonly #pages = new Map<string, Page>();

  constructor(options: WebOptions) {
    this.#options = options;
  }

  /** Reads a part of a page. Rejects with `WebFailure`, or with the reason of the signal. */
  async read(request: PageRequest, signal: AbortSignal): Promise<PagePart> {
    const { url, offset, maxChars } = request;
    const page = this.#cached(url) ?? this.#cache(url, await this.#fetch(request, signal));
    const { text } = page;
    if (offset > 0 && offset >= text.length)
      throw new WebFailure(
        'content',
        `The text has ${text.length} characters: there is nothing at offset ${offset}.`,
      );
    const from = wholeCharacter(text, offset);
    const to = Math.max(from + 1, wholeCharacter(text, Math.min(text.length, from + maxChars)));
    return {
      ...partless(page),
      text: text.slice(from, to),
      offset: from,
      totalChars: text.length,
      ...(to < text.length && { nextOffset: to }),
    };
  }

  #cached(url: string): Page | undefined {
    const page = this.#pages.get(url);
    return page !== undefined && this.#options.clock.now() - page.readMs < cachedMs
      ? page
      : undefined;
  }

  #cache(url: string, page: Page): Page {
    this.#pages.delete(url);
    this.#pages.set(url, page);
    let chars = 0;
    for (const [key, { text }] of [...this.#pages].reverse()) {
      chars += text.length;
      if (chars > maxCachedChars) this.#pages.delete(key);
    }
    return page;
  }

  async #fetch({ url, staysOnHost = false }: PageRequest, signal: AbortSignal): Promise<Page> {
    const got = await download({ url, accept, staysOnHost }, this.#options, signal);
    const { text, title, note } = await this.#text(got, signal);
    const clean = cleanPage(text);
    return {
      url: got.url,
      mediaType: oneLine(got.mediaType, 100),
      text: clean.slice(0, wholeCharacter(clean, maxTextChars)),
      ...(title !== undefined && { title: oneLine(cleanPage(title), 200) }),
      notes: [
        ...(got.isCut ? [`only the first ${formatBytes(got.bytes.length)} were read`] : []),
        ...(note === undefined ? [] : [note]),
        ...(clean.length > maxTextChars
          ? [`only the first ${maxTextChars} characters are available`]
          : []),
      ],
      readMs: this.#options.clock.now(),
    };
  }

  async #text(got: Download, signal: AbortSignal): Promise<ReadPage> {
    const { clock } = this.#options;
    const { bytes, charset, url } = got;
    switch (kindOf(got)) {
      case 'pdf':
        if (got.isCut) throw new WebFailure('content', tooLarge(got));
        return readInWorker({ kind: 'pdf', bytes }, { clock, signal });
      case 'html':
        return readInWorker(
          { kind: 'html', html: decodeText(bytes, charset), url },
          { clock, signal },
        );
      case 'text':
        return { text: decodeText(bytes, charset) };
      case 'other':
        throw new WebFailure('content', notText(got));
    }
  }
}

const partless = ({ readMs: _, ...page }: Page): Omit<Page, 'readMs'> => page;

/** Returns `at`, or the offset before it if `at` would split a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;

function kindOf({ mediaType, bytes }: Download): 'html' | 'pdf' | 'text' | 'other' {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-') return 'pdf';
  if (/^(text\/html|application\/xhtml\+xml)$/.test(mediaType)) return 'html';
  if (/^(image|audio|video|font)\/(?!svg)/.test(mediaType) || !looksLikeText(bytes)) return 'other';
  return mediaType === '' && /^\s*(<!doctype html|<html)/i.test(decodeText(bytes, undefined))
    ? 'html'
    : 'text';
}

const notText = ({ mediaType, bytes, isCut }: Download): string =>
  `The content is not text, but ${mediaType === '' ? 'data of an unknown kind' : oneLine(mediaType, 100)} of ${isCut ? 'more than ' : ''}${formatBytes(bytes.length)}. To get it, download it on a machine with remote_exec.`;

const tooLarge = ({ bytes }: Download): string =>
  `The PDF is larger than ${formatBytes(bytes.length)}. To read it, download it on a machine with remote_exec.`;

/** Characters that a user does not see but a model does, and that can reverse or hide text. */
const unseen =
  /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export const cleanPage = (text: string): string =>
  cleanText(text.replace(/\r\n?/g, '\n'))
    .replace(unseen, '')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
