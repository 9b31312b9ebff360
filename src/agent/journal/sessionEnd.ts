import type { SessionState } from './state.ts';

/**
 * Returns when the session ended or, before its end, when its last event was recorded. Events after
 * the end, such as those of a reproduction, do not move the end.
 */
export const endMs = ({
  phase,
  end,
  lastEventMs,
}: Pick<SessionState, 'phase' | 'end' | 'lastEventMs'>): number =>
  (phase === 'ended' ? end?.atMs : undefined) ?? lastEventMs;
