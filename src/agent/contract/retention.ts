/** Removal of old sessions, as front ends see it. */
import type { SessionId } from '../../base/ids.ts';
import type { SessionSummary } from './sessions.ts';

export interface RetentionLimits {
  /** Sessions whose last event is older go. */
  readonly maxAgeMs?: number;
  /** Of all sessions with their runs on this computer; the oldest go until the rest fits. */
  readonly maxBytes?: number;
}

export interface RetentionPlan {
  /** Oldest first. */
  readonly goes: readonly OldSession[];
  /** Beyond a limit, and why they stay all the same. Oldest first. */
  readonly stays: readonly (OldSession & { readonly why: string })[];
  /** Of all sessions, before anything goes. */
  readonly totalBytes: number;
}

export interface OldSession {
  readonly summary: SessionSummary;
  /** On this computer. */
  readonly bytes: number;
}

export interface CleanReport {
  readonly removed: readonly OldSession[];
  /** What could not be removed, in words; the rest of its session is gone. */
  readonly problems: readonly string[];
}

/**
 * Never takes away a session that is not ended, that is open, that has a run which goes on, or that
 * is kept.
 */
export interface Retention {
  /** Looks only. */
  plan(limits: RetentionLimits): Promise<RetentionPlan>;
  /**
   * Removes what was planned and may still go: sessions, their runs on every machine, their
   * worktrees.
   */
  carryOut(plan: RetentionPlan): Promise<CleanReport>;
  /** A session that is kept stays whatever its age. */
  keep(id: SessionId, isKept: boolean): Promise<void>;
}
