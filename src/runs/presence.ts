import type { RunEnd } from './run.ts';

/** State of a run that has not left an exit record. */
export type Presence =
  /** The run has not started yet. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'queued'; readonly jobId: string; readonly why: string }
  | { readonly kind: 'alive' }
  /**
   * The process is gone. `isFinal`: the exit record can no longer appear. `end`: how the run ended
   * according to the scheduler, if the scheduler knows.
   */
  | {
      readonly kind: 'gone';
      readonly why: string;
      readonly isFinal: boolean;
      readonly end?: RunEnd;
    };
