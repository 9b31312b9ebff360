/** Messages to and from the worker. */
import type { SearchHit } from './searchHit.ts';

export type PageJob =
  | { readonly kind: 'html'; readonly html: string; readonly url: string }
  | { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'hits'; readonly html: string };

export interface ReadPage {
  readonly title?: string;
  /** Markdown of a page, plain text of a PDF; neither cleaned nor bounded. */
  readonly text: string;
  /** Omissions, as text. */
  readonly note?: string;
}

/** Search results of a page. `isChallenge`: the page asks the user to prove to be human instead. */
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
