/** Reports of sessions, as front ends see them. */
import type { SessionId } from '../../base/ids.ts';

/** A report in the work folder of its session. */
export interface WrittenReport {
  /** Absolute. */
  readonly file: string;
}

export interface WrittenWriteup {
  /** Absolute. */
  readonly file: string;
  /** Of the brief that was written with it. */
  readonly brief: string;
  /** Numbers of the account that no run has measured, as they were written. */
  readonly unmeasured: readonly string[];
}

/**
 * Reports of the sessions of the home, of those that other processes own, too: a report changes
 * nothing of its session. What a user has changed in one stays; the new one then goes beside it.
 * Writing rejects with `UserFacing` where the work folder is gone, and with `StorageFailure`.
 */
export interface Reports {
  /** The brief as Markdown; nothing is written. */
  brief(id: SessionId): Promise<string>;
  /** Writes the brief and its charts. */
  write(id: SessionId): Promise<WrittenReport>;
  /** Writes the brief, and the write-up beside it, with the account that the model gave last. */
  writeup(id: SessionId): Promise<WrittenWriteup>;
  /** The newest brief that was written, absolute; `undefined` where there is none. */
  find(id: SessionId): Promise<string | undefined>;
  /** What was written by itself when the session ended here; `undefined` where nothing was. */
  afterEnd(id: SessionId): Promise<WrittenReport | undefined>;
}
