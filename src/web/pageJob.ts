/** Messages between the main thread and the worker that reads pages. */
import type { SearchHit } from './searchHit.ts';

export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'hits'; readonly html: string };

export interface ReadPage {
  readonly title?: string;
  /** Markdown of an HTML page, or plain text of a PDF. Not yet cleaned, and of any length. */
  readonly text: string;
  /** A sentence that states what was omitted. */
  readonly note?: string;
}

/**
 * Search results in a page. `isChallenge` is true when the page shows a CAPTCHA instead of results.
 */
export interface FoundHits {
  readonly hits: readonly SearchHit[];
  readonly isChallenge: boolean;
}

export interface PageAnswers {
  readonly html: ReadPage;
  readonly pdf: ReadPage;
  readonly hits: FoundHits;
}

export type PageReply =
  { readonly answer: PageAnswers[PageJob['kind']] } | { readonly problem: string };
