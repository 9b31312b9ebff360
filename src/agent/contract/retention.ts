/** Removal of old sessions, as front ends see it. */
import type { SessionId } from '../../base/ids.ts';
import type { SessionSummary } from './sessions.ts';

export interface RetentionLimits {
  /** Sessions whose last event is older than this age are removed. */
  readonly maxAgeMs?: number;
  /**
   * Size limit for all sessions together, including their runs on this computer. The oldest
   * sessions are removed until the remaining ones fit.
   */
  readonly maxBytes?: number;
}

export interface RetentionPlan {
  /** Sessions to remove, oldest first. */
  readonly goes: readonly OldSession[];
  /** Sessions that exceed a limit but are not removed, with the reason. Oldest first. */
  readonly stays: readonly (OldSession & { readonly why: string })[];
  /** Size of all sessions before the removal. */
  readonly totalBytes: number;
}

export interface OldSession {
  readonly summary: SessionSummary;
  /** Size of the session on this computer. */
  readonly bytes: number;
}

export interface CleanReport {
  readonly removed: readonly OldSession[];
  /**
   * Sentences about sessions that had to stay although the plan removes them, and about data of
   * removed sessions that could not be removed.
   */
  readonly problems: readonly string[];
}

/**
 * Removes sessions. `carryOut` never removes a session that has not ended, is open, has an active
 * run, or that the user protected with `keep`.
 */
export interface Retention {
  /** Returns which sessions would be removed; removes nothing. */
  plan(limits: RetentionLimits): Promise<RetentionPlan>;
  /**
   * Removes the sessions of the plan that may still be removed. Also removes their runs on all
   * machines and their worktrees.
   */
  carryOut(plan: RetentionPlan): Promise<CleanReport>;
  /**
   * Resolves with the reason why `remove` would refuse a session, such as `it is working`;
   * `undefined` if it would not.
   */
  obstacle(id: SessionId): Promise<string | undefined>;
  /**
   * Removes a session that nobody works on, with its runs on all machines and its worktrees; it need
   * not have ended. Resolves with problems, as in `CleanReport`. Rejects with `UserFacing` if there
   * is an obstacle; then nothing was removed.
   */
  remove(id: SessionId): Promise<readonly string[]>;
  /** Protects a session from removal, whatever its age, or ends the protection. */
  keep(id: SessionId, isKept: boolean): Promise<void>;
}
