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

/** What a look has found to be new. */
export interface News {
  /** Runs that have printed values since. */
  readonly grown: readonly RunId[];
}

/** Each in place of the engine's own. */
export interface ObserveOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** While it is true, nothing is read: the open session tells of itself. */
  readonly isOpenHere?: () => boolean;
}

/** A session as it grows, whoever works on it. */
export interface ObservedSession extends Disposable {
  /** Oldest first. */
  readonly events: readonly JournalEvent[];
  /** `undefined` before the journal was read, and where it has no start. */
  readonly state: SessionState | undefined;
  /** The process that works on it. */
  readonly holder: Pick<LeaseOwner, 'pid' | 'host' | 'kind'> | undefined;
  readonly onDidChange: Event<News>;
  /** With what the active runs have printed so far. */
  ledger(): Ledger | undefined;
  /** All points of a run; `undefined` where none are at hand. */
  metricsOf(run: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined>;
  /** Looks every second, or not at all. */
  setWatched(isWatched: boolean): void;
  /** Reads what is new. Rejects where the journal or the points cannot be read. */
  refresh(): Promise<void>;
}
