/** What the session view needs from whoever opens it. */
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';

/** What a user may do to the session from here. Each rejects with `UserFacing`. */
export interface SessionControls {
  answer(questionId: string, answer: string): Promise<void>;
  pin(text: string): Promise<unknown>;
  unpin(number: number): Promise<unknown>;
}

export interface SessionViewSource {
  readonly id: SessionId;
  /** The whole journal so far, oldest first; it grows, and what is in it never changes. */
  events(): readonly JournalEvent[];
  /** With what runs of this window have printed so far. */
  ledger(): Ledger;
  /** Or why nothing can be done from here. */
  controls(): SessionControls | string;
  /**
   * Nobody may be writing its journal any more; it is looked at all the same while `setWatched`.
   */
  readonly isGrowing: boolean;
  /**
   * All points of one metric of one run, oldest first; `undefined` where there are none at hand.
   */
  series(runId: RunId, metric: string): Promise<SeriesColumns | undefined>;
  /**
   * A text that the session left beside its journal, such as the whole result of a call. Rejects
   * for any other file.
   */
  readFile(path: string, maxChars: number): Promise<string>;
  /** While nobody looks, nothing is read. */
  setWatched(isWatched: boolean): void;
  readonly onDidChange: Event<void>;
}

export interface SessionViewActions {
  openRunOutput(runId: string): void;
  openMetrics(): void;
}
