/** Which briefs a user has yet to see; kept with the workspace. */

/** As it is kept. */
export interface BriefMemory {
  /** Sessions that ended before are no news: milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Sessions whose end was seen, or whose brief was shown; the newest last. */
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

/** Whether the brief of a session that was last written to at `changedMs` may be news. */
export const maybeUnseen = (
  { sinceMs, seen }: BriefMemory,
  id: string,
  changedMs: number,
): boolean => changedMs > sinceMs && !seen.includes(id);
