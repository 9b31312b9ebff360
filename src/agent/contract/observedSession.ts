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

/** Options of a read-only view. `clock` and `logger` replace those of the engine. */
export interface ObserveOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /**
   * Returns true while the session is open in this process. `refresh` then reads nothing, because
   * the open session reports its own changes.
   */
  readonly isOpenHere?: () => boolean;
}

/**
 * Read-only view of a session. The view follows the session's journal, whichever process works on
 * the session.
 */
export interface ObservedSession extends Disposable {
  /** All events read so far, oldest first. */
  readonly events: readonly JournalEvent[];
  /** `undefined` before the first read, and when the first line of the journal is missing. */
  readonly state: SessionState | undefined;
  /** Process that works on the session. */
  readonly holder: Pick<LeaseOwner, 'pid' | 'host' | 'kind'> | undefined;
  readonly onDidChange: Event<News>;
  /** Returns the ledger, including what the active runs have printed so far. */
  ledger(): Ledger | undefined;
  /** Resolves with all metric points of a run; `undefined` when no points are available. */
  metricsOf(run: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined>;
  /** Resolves with the recorded resources of a run as series; `undefined` if there are none. */
  systemOf(run: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined>;
  /** Resolves with the names of the recorded resources of the runs. */
  systemNames(runs: readonly Pick<RunState, 'spec' | 'verdict'>[]): Promise<readonly string[]>;
  /** Starts or stops refreshing the view every second. */
  setWatched(isWatched: boolean): void;
  /**
   * Reads what was added to the journal and to the metrics since the last refresh. Rejects when
   * either cannot be read.
   */
  refresh(): Promise<void>;
}
