import type { WatchAction, WatchKind } from './settings.ts';

/** What a watchdog has to tell of a run. What is done is up to who asks. */
export interface Finding {
  readonly kind: WatchKind;
  /** Such as `loss became NaN at step 120`. */
  readonly detail: string;
  readonly action: Exclude<WatchAction, 'off'>;
}
