import type { RunEnd } from './run.ts';

/** State of a run that has left no exit record. */
export type Presence =
  /** The run has not begun yet, which is normal. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'alive' }
  /**
   * `isFinal`: a record can no longer appear. `end`: the end as the scheduler knows it, if it does.
   */
  | {
      readonly kind: 'gone';
      readonly why: string;
      readonly isFinal: boolean;
      readonly end?: RunEnd;
    };
