/** Reports of sessions, as front ends see them. */
import type { SessionId } from '../../base/ids.ts';

/** A report in the work folder of its session. */
export interface WrittenReport {
  /** Absolute path. */
  readonly file: string;
}

export interface WrittenWriteup {
  /** Absolute path. */
  readonly file: string;
  /** Absolute path of the brief that was written with it. */
  readonly brief: string;
  /** Numbers in the model's account that no run has measured, as written. */
  readonly unmeasured: readonly string[];
}

/**
 * Reports of all sessions of the home, including those that other processes own: a report changes
 * nothing in its session. A report that a user has edited is never overwritten; the new one is
 * written next to it. Writing rejects with `UserFacing` when the work folder is gone, and with
 * `StorageFailure`.
 */
export interface Reports {
  /** Resolves with the brief as Markdown; writes nothing. */
  brief(id: SessionId): Promise<string>;
  /** Writes the brief and its charts. */
  write(id: SessionId): Promise<WrittenReport>;
  /** Writes the brief and the write-up, with the latest account of the model. */
  writeup(id: SessionId): Promise<WrittenWriteup>;
  /** Resolves with the absolute path of the newest brief; `undefined` when there is none. */
  find(id: SessionId): Promise<string | undefined>;
  /**
   * Resolves with the report that was written automatically when the session ended in this process;
   * `undefined` when there is none.
   */
  afterEnd(id: SessionId): Promise<WrittenReport | undefined>;
}
