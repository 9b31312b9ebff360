/** Tracks which briefs the user has not seen. The data is stored in VS Code's workspace state. */

/** The stored data. */
export interface BriefMemory {
  /**
   * Milliseconds since the epoch. Sessions that last changed before this time are treated as seen.
   */
  readonly sinceMs: number;
  /** Ids of sessions whose end the user saw or whose brief was shown; newest last. */
  readonly seen: readonly string[];
}

const maxKept = 200;

export function rememberedBriefs(stored: unknown, nowMs: number): BriefMemory {
  const { sinceMs, seen } = (
    typeof stored === 'object' && stored !== null ? stored : {}
  ) as Partial<BriefMemory>;
  const isValid = typeof sinceMs === 'number' && Array.isArray(seen);
  return isValid
    ? { sinceMs, seen: seen.filter((id) => typeof id === 'string') }
    : { sinceMs: nowMs, seen: [] };
}

export const withSeen = ({ sinceMs, seen }: BriefMemory, id: string): BriefMemory => ({
  sinceMs,
  seen: [...seen.filter((other) => other !== id), id].slice(-maxKept),
});

/**
 * Whether a session may have an unseen brief. `changedMs`: time of the last write to the session's
 * journal, in milliseconds since the epoch.
 */
export const maybeUnseen = (
  { sinceMs, seen }: BriefMemory,
  id: string,
  changedMs: number,
): boolean => changedMs > sinceMs && !seen.includes(id);
