/** Data that the session view needs from its creator. */
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';

/** Actions of the user on the session. Each rejects with `UserFacing`. */
export interface SessionControls {
  answer(questionId: string, answer: string): Promise<void>;
  pin(text: string): Promise<unknown>;
  unpin(number: number): Promise<unknown>;
}

export interface SessionViewSource {
  readonly id: SessionId;
  /** The whole journal so far, oldest first; existing events never change. */
  events(): readonly JournalEvent[];
  /** Includes the output of this window's runs so far. */
  ledger(): Ledger;
  /** Returns the reason instead, where no action is possible. */
  controls(): SessionControls | string;
  /** False when the journal may have no writer any more; it is still polled while `setWatched`. */
  readonly isGrowing: boolean;
  /** All points of one metric of one run, oldest first; `undefined` where none are available. */
  series(runId: RunId, metric: string): Promise<SeriesColumns | undefined>;
  /**
   * Reads a file that the session wrote next to its journal, such as the whole result of a call.
   * Rejects for any other file.
   */
  readFile(path: string, maxChars: number): Promise<string>;
  /** Turns reading on or off with the visibility of the view. */
  setWatched(isWatched: boolean): void;
  readonly onDidChange: Event<void>;
}

export interface SessionViewActions {
  openRunOutput(runId: string): void;
  openMetrics(): void;
}
