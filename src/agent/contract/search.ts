/** Hits of a search over all sessions. */
import type { SessionId } from '../../base/ids.ts';

export interface SearchHit {
  readonly sessionId: SessionId;
  /** The session's goal. */
  readonly goal: string;
  readonly eventId: string;
  readonly atMs: number;
  readonly kind: HitKind;
  readonly snippet: Snippet;
  /** Summary of the call whose result was found: `Launched run 7`. */
  readonly call?: string;
}

export interface SearchOptions {
  /** Maximum number of hits. Default: 20. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * Place where the text was found.
 * - `tool`: input of a tool call
 * - `result`: result of a tool call
 * - `run`: label, command and the end of the run's output
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
  /** Text around the first match, in one line and without control characters. */
  readonly text: string;
  /** String indices of the matches in `text`, sorted and without overlap. `end` is exclusive. */
  readonly marks: readonly (readonly [start: number, end: number])[];
}
