/** The data that the creator of a session view supplies. */
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { Event } from '../../base/emitter.ts';
import type { RunId, SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import type { SeriesColumns } from '../../metrics/metric.ts';

/** Actions of the user on the session. If an action fails, it rejects with `UserFacing`. */
export interface SessionControls {
  answer(questionId: string, answer: string): Promise<void>;
  pin(text: string): Promise<unknown>;
  unpin(number: number): Promise<unknown>;
}

export interface SessionViewSource {
  readonly id: SessionId;
  /**
   * Returns the whole journal so far, oldest event first. An event never changes, but the newest
   * events can disappear: a process removes new events that it cannot flush to the disk.
   */
  events(): readonly JournalEvent[];
  /** Returns the ledger, including the metrics so far of active runs. */
  ledger(): Ledger;
  /** Returns the actions on the session, or the reason why no action is possible. */
  controls(): SessionControls | string;
  /**
   * Whether a process has the session open, so that the journal may grow. If false, the journal is
   * still polled while the view is visible, because a process may resume the session.
   */
  readonly isGrowing: boolean;
  /**
   * Resolves with the points of one metric of one run, oldest first, or a sample of a very long
   * series; `undefined` if there are none.
   */
  series(runId: RunId, metric: string): Promise<SeriesColumns | undefined>;
  /**
   * Reads at most `maxChars` bytes of a file that the session wrote next to its journal, such as
   * the whole result of a tool call. Rejects for a file outside the session's folder.
   */
  readFile(path: string, maxChars: number): Promise<string>;
  /** Starts or stops polling the session's files. Called with true while the view is visible. */
  setWatched(isWatched: boolean): void;
  readonly onDidChange: Event<void>;
}

export interface SessionViewActions {
  openRunOutput(runId: string): void;
  openMetrics(): void;
}
