/** Reports of sessions, as front ends see them. */
import type { SessionId } from '../../base/ids.ts';
import type { TableFormat } from '../../reports/settingsTable.ts';

export type { TableFormat };

/** A report in the work folder of its session. */
export interface WrittenReport {
  /** Absolute path. */
  readonly file: string;
}

export interface WrittenWriteup {
  /** Absolute path. */
  readonly file: string;
  /** Absolute path of the brief that was written with the write-up. */
  readonly brief: string;
  /** Numbers in the model's text that no run has measured, exactly as the model wrote them. */
  readonly unmeasured: readonly string[];
}

/**
 * Writes reports of all sessions of the home. Sessions of other processes are included, because
 * writing a report does not change the session. A report that a user has edited is never
 * overwritten: the new report is written next to the edited one. Writing rejects with `UserFacing`
 * when the work folder no longer exists, and with `StorageFailure` when a file cannot be written.
 */
export interface Reports {
  /** Resolves with the brief as Markdown; writes no file. */
  brief(id: SessionId): Promise<string>;
  /**
   * Resolves with the table of results in this format: one row per setting, best first. Empty text
   * if nothing was measured.
   */
  table(id: SessionId, format: TableFormat): Promise<string>;
  /**
   * Resolves with a page of the session for others: one HTML file that needs nothing else, without
   * secrets and names of home folders. Writes no file.
   */
  page(id: SessionId): Promise<string>;
  /** Writes the brief, its charts, and the list of runs. */
  write(id: SessionId): Promise<WrittenReport>;
  /** Writes the brief and the write-up. The write-up contains the model's latest text. */
  writeup(id: SessionId): Promise<WrittenWriteup>;
  /** Resolves with the absolute path of the newest brief; `undefined` when there is none. */
  find(id: SessionId): Promise<string | undefined>;
  /**
   * Resolves with the report that was written automatically at the end of the session, if the
   * session ended in this process; else with `undefined`.
   */
  afterEnd(id: SessionId): Promise<WrittenReport | undefined>;
}
