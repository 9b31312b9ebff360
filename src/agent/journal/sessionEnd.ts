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

/**
 * Returns for how long the session has worked or slept at `nowMs`, in milliseconds: without the time
 * after an end, without the time for which no process worked on it after a crash, and without the
 * time for which the computer slept.
 */
export const workedMs = (state: SessionState, nowMs: number): number =>
  (state.phase === 'ended' ? endMs(state) : nowMs) - state.startedMs - (state.restMs ?? 0);
