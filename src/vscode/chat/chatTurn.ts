import type {
  CancellationToken,
  ChatContext,
  ChatRequest,
  ChatResponseStream,
  ChatResult,
  Uri,
} from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Logger } from '../../base/logger.ts';
import type { MachineQuestions } from '../machines/machineQuestions.ts';
import type { ApiKeys } from '../models/apiKeys.ts';
import type { Approvals } from '../window/approvals.ts';
import type { EngineHost } from '../window/engineHost.ts';
import type { FollowTarget } from '../window/followTarget.ts';
import type { OpenSessions } from '../window/openSessions.ts';

export interface ChatDeps {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly approvals: Approvals;
  readonly keys: ApiKeys;
  readonly questions: MachineQuestions;
  readonly following: FollowTarget;
  readonly extensionUri: Uri;
  readonly logger: Logger;
}

/** A chat request and the stream for its answer. */
export interface ChatTurn {
  readonly request: ChatRequest;
  readonly context: ChatContext;
  readonly stream: ChatResponseStream;
  readonly token: CancellationToken;
}

/**
 * Returns the chat result for a request about a session. With this result, the next request in the
 * same chat refers to the same session.
 */
export const about = (session: Session | undefined): ChatResult =>
  session === undefined ? {} : { metadata: { sessionId: session.id } };
