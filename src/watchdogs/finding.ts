import type { WatchAction, WatchKind } from './settings.ts';

/** A problem that a watchdog found. The caller carries out `action`. */
export interface Finding {
  readonly kind: WatchKind;
  /** For example `loss became NaN at step 120`. */
  readonly detail: string;
  readonly action: Exclude<WatchAction, 'off'>;
}
