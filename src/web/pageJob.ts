/** What the worker is asked and what it answers. */
import type { SearchHit } from './searchHit.ts';

export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'hits'; readonly html: string };

export interface ReadPage {
  readonly title?: string;
  /** Markdown of a page, plain text of a PDF; not cleaned, not bounded. */
  readonly text: string;
  /** What was left out, in words. */
  readonly note?: string;
}

/** What a page of results holds; `isChallenge`: it is a question whether a user asks. */
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
