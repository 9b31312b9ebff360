import type { RunId, SessionId } from '../../base/ids.ts';
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import type { Budget } from '../journal/events.ts';

/**
 * Words of the user on a session or on its runs. Carried out even if no process works on the
 * session. An empty title removes the name of the session.
 */
export type UserLabel =
  | { readonly kind: 'rename'; readonly title: string }
  | ({ readonly kind: 'annotate'; readonly runIds: readonly RunId[] } & AnnotationChange);

/** A user's request to a session that another process works on. */
export type SessionRequest =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'answer'; readonly question: string; readonly answer: string }
  | { readonly kind: 'pin'; readonly text: string }
  | { readonly kind: 'unpin'; readonly number: number }
  | UserLabel
  | { readonly kind: 'pause' }
  | { readonly kind: 'stop'; readonly killRuns: boolean }
  | { readonly kind: 'budget'; readonly budget: Budget }
  /** `path` is an absolute path on the machine. */
  | { readonly kind: 'import'; readonly machineId: string; readonly path: string }
  | { readonly kind: 'target'; readonly text: string }
  /** `model` is an id or an alias. */
  | { readonly kind: 'model'; readonly model: string; readonly provider?: string | undefined };

export interface SessionRequests {
  /**
   * Sends the request to the process that works on the session, which may be this process. Resolves
   * with a sentence that says what was done. Rejects with `UserFacing` if no process works on the
   * session, or if that process refuses the request or does not reply.
   */
  send(id: SessionId, request: SessionRequest): Promise<string>;
}
