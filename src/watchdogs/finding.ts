import type { WatchAction, WatchKind } from './settings.ts';

/** A problem that a watchdog found. The caller carries out `action`. */
export interface Finding {
  /**
   * `metric_pattern`: a metric pattern is no longer used. `points`: no more points are stored.
   * `unread_metric`: the metrics of the launch are not read from the output. These have no settings.
   */
  readonly kind: WatchKind | 'metric_pattern' | 'points' | 'unread_metric';
  /** For example `loss became NaN at step 120`. */
  readonly detail: string;
  readonly action: Exclude<WatchAction, 'off'>;
}
