/** Objects that the features of this window share. `appDeps.ts` creates them once. */
import type { Uri } from 'vscode';
import type { Logger } from '../../base/logger.ts';
import type { Approvals } from './approvals.ts';
import type { Documents } from './documents.ts';
import type { EngineHost } from './engineHost.ts';
import type { FollowTarget } from './followTarget.ts';
import type { OpenSessions } from './openSessions.ts';

export interface WindowDeps {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly approvals: Approvals;
  readonly following: FollowTarget;
  readonly documents: Documents;
  readonly extensionUri: Uri;
  readonly logger: Logger;
}
