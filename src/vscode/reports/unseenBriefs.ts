/** Tracks which briefs the user has not seen. The data is stored with the workspace. */

/** The data as it is stored. */
export interface BriefMemory {
  /** Time in milliseconds since the epoch: sessions that ended earlier count as seen. */
  readonly sinceMs: number;
  /** Ids of sessions whose end the user saw or whose brief was shown; newest last. */
  readonly seen: readonly string[];
}

const maxKept = 200;

export function rememberedBriefs(kept: unknown, nowMs: number): BriefMemory {
  const { sinceMs, seen } = (
    typeof kept === 'object' && kept !== null ? kept : {}
  ) as Partial<BriefMemory>;
  const isWhole = typeof sinceMs === 'number' && Array.isArray(seen);
  return isWhole
    ? { sinceMs, seen: seen.filter((id) => typeof id === 'string') }
    : { sinceMs: nowMs, seen: [] };
}

export const withSeen = ({ sinceMs, seen }: BriefMemory, id: string): BriefMemory => ({
  sinceMs,
  seen: [...seen.filter((other) => other !== id), id].slice(-maxKept),
});

/**
 * Whether a session may have an unseen brief. `changedMs`: time of the last write to the session.
 */
export const maybeUnseen = (
  { sinceMs, seen }: BriefMemory,
  id: string,
  changedMs: number,
): boolean => changedMs > sinceMs && !seen.includes(id);
