/** Hits of a search over all sessions. */
import type { SessionId } from '../../base/ids.ts';

export interface SearchHit {
  readonly sessionId: SessionId;
  /** Of the session. */
  readonly goal: string;
  readonly eventId: string;
  readonly atMs: number;
  readonly kind: HitKind;
  readonly snippet: Snippet;
}

export interface SearchOptions {
  /** Default 20. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * - `tool`: what a call was asked to do · `result`: what it answered · `run`: label, command, and
 *   how its output ended
 */
export type HitKind =
  | 'goal'
  | 'message'
  | 'reply'
  | 'tool'
  | 'result'
  | 'run'
  | 'experiment'
  | 'note'
  | 'question'
  | 'end';

export interface Snippet {
  /** One line around the first word that was found, cleaned. */
  readonly text: string;
  /** `[start, end)` in `text` of each word that was searched for, in order. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}
