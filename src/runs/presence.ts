import type { RunEnd } from './run.ts';

/** Where a run stands that left no record of its end. */
export type Presence =
  /** It has not begun yet, and nothing is amiss. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'alive' }
  /**
   * `isFinal`: it cannot be about to leave a record either. `end`: somebody else knows what became
   * of it; absent, nobody does.
   */
  | {
      readonly kind: 'gone';
      readonly why: string;
      readonly isFinal: boolean;
      readonly end?: RunEnd;
    };
