/** Tracks the briefs that the user has not seen; stored with the workspace. */

/** Stored form. */
export interface BriefMemory {
  /** Sessions that ended earlier count as seen: milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Sessions whose end was seen or whose brief was shown; newest last. */
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

/** Whether a session last written at `changedMs` may have an unseen brief. */
export const maybeUnseen = (
  { sinceMs, seen }: BriefMemory,
  id: string,
  changedMs: number,
): boolean => changedMs > sinceMs && !seen.includes(id);
