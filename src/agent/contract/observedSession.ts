import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import type { RunId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import type { LeaseOwner } from '../../storage/leaseOwner.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { RunState, SessionState } from '../journal/state.ts';

/** Changes since the last refresh. */
export interface News {
  /** Runs with new metric values. */
  readonly grown: readonly RunId[];
}

/** Replacements for the engine's own services. */
export interface ObserveOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /**
   * While it returns true, nothing is read: the session is open here and reports its own changes.
   */
  readonly isOpenHere?: () => boolean;
}

/** Read-only view of a session as it grows, whichever process works on it. */
export interface ObservedSession extends Disposable {
  /** Oldest first. */
  readonly events: readonly JournalEvent[];
  /** `undefined` until the journal was read, and when the journal has no start. */
  readonly state: SessionState | undefined;
  /** The process that owns the session. */
  readonly holder: Pick<LeaseOwner, 'pid' | 'host' | 'kind'> | undefined;
  readonly onDidChange: Event<News>;
  /** Returns the ledger, including what the active runs have printed so far. */
  ledger(): Ledger | undefined;
  /** Resolves with all points of a run; `undefined` when none are available. */
  metricsOf(run: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined>;
  /** Refreshes every second, or not at all. */
  setWatched(isWatched: boolean): void;
  /** Reads what is new. Rejects when the journal or the points cannot be read. */
  refresh(): Promise<void>;
}
