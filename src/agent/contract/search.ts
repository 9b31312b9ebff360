/** Hits of a search over all sessions. */
import type { SessionId } from '../../base/ids.ts';

export interface SearchHit {
  readonly sessionId: SessionId;
  /** Goal of the session. */
  readonly goal: string;
  readonly eventId: string;
  readonly atMs: number;
  readonly kind: HitKind;
  readonly snippet: Snippet;
}

export interface SearchOptions {
  /** Default: 20. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * - `tool`: input of a call
 * - `result`: result of a call
 * - `run`: label, command and the end of the output
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
  /** Text around the first match, on one line, cleaned. */
  readonly text: string;
  /** `[start, end)` in `text` of each match, in order. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}
