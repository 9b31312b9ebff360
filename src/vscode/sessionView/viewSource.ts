/** The data that the creator of a session view supplies. */
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';

/** Actions of the user on the session. Each action rejects with `UserFacing`. */
export interface SessionControls {
  answer(questionId: string, answer: string): Promise<void>;
  pin(text: string): Promise<unknown>;
  unpin(number: number): Promise<unknown>;
}

export interface SessionViewSource {
  readonly id: SessionId;
  /** Returns the whole journal so far, oldest event first. Existing events never change. */
  events(): readonly JournalEvent[];
  /** Returns the ledger, including the output so far of runs in this window. */
  ledger(): Ledger;
  /** Returns the actions on the session, or the reason why no action is possible. */
  controls(): SessionControls | string;
  /**
   * Whether the journal may still grow. If false, the journal may have no writer, but it is still
   * polled while `setWatched` is on.
   */
  readonly isGrowing: boolean;
  /**
   * Returns all points of one metric of one run, oldest first; `undefined` where there are none.
   */
  series(runId: RunId, metric: string): Promise<SeriesColumns | undefined>;
  /**
   * Reads a file that the session wrote next to its journal, such as the whole result of a call.
   * Rejects for any other file.
   */
  readFile(path: string, maxChars: number): Promise<string>;
  /** Turns reading the session's files on while the view is visible, and off while it is hidden. */
  setWatched(isWatched: boolean): void;
  readonly onDidChange: Event<void>;
}

export interface SessionViewActions {
  openRunOutput(runId: string): void;
  openMetrics(): void;
}
