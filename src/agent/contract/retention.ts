/** Removal of old sessions, as front ends see it. */
import type { SessionId } from '../../base/ids.ts';
import type { SessionSummary } from './sessions.ts';

export interface RetentionLimits {
  /** Sessions whose last event is older are removed. */
  readonly maxAgeMs?: number;
  /**
   * Limit for all sessions with their runs on this computer. The oldest are removed until the rest
   * fits.
   */
  readonly maxBytes?: number;
}

export interface RetentionPlan {
  /** Oldest first. */
  readonly goes: readonly OldSession[];
  /** Sessions beyond a limit that stay, with the reason. Oldest first. */
  readonly stays: readonly (OldSession & { readonly why: string })[];
  /** Size of all sessions before the removal. */
  readonly totalBytes: number;
}

export interface OldSession {
  readonly summary: SessionSummary;
  /** Size on this computer. */
  readonly bytes: number;
}

export interface CleanReport {
  readonly removed: readonly OldSession[];
  /** Sentences on what could not be removed; the rest of that session is gone. */
  readonly problems: readonly string[];
}

/**
 * Removes old sessions. Never one that has not ended, is open, has an active run, or is marked as
 * kept.
 */
export interface Retention {
  /** Reads only. */
  plan(limits: RetentionLimits): Promise<RetentionPlan>;
  /**
   * Removes the planned sessions that still qualify, with their runs on every machine and their
   * worktrees.
   */
  carryOut(plan: RetentionPlan): Promise<CleanReport>;
  /** Marks a session as kept, or removes the mark. A kept session stays whatever its age. */
  keep(id: SessionId, isKept: boolean): Promise<void>;
}
