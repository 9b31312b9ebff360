/** What the features of this window share. Built once in `app.ts`. */
import type { Uri } from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { ApiKeys } from './models/apiKeys.ts';
import type { Approvals } from './approvals.ts';
import type { Documents } from './documents.ts';
import type { EngineHost } from './engineHost.ts';
import type { MachineQuestions } from './machines/machineQuestions.ts';
import type { FollowTarget } from './chat/followTarget.ts';
import type { Notes } from './notes.ts';
import type { OpenSessions } from './openSessions.ts';

export interface Parts {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly notes: Notes;
  readonly approvals: Approvals;
  readonly keys: ApiKeys;
  readonly questions: MachineQuestions;
  readonly following: FollowTarget;
  readonly documents: Documents;
  readonly extensionUri: Uri;
  readonly logger: Logger;
}
