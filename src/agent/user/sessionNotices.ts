/**
 * Tells people of what is recorded in a session from now on: what was recorded before it was open
 * here has been told.
 */
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import type { Notifier } from '../../notify/notifier.ts';
import type { ProjectNotifications } from '../../notify/routes.ts';
import type { JournalEvent } from '../journal/events.ts';
import { approvalNotification, notificationOf, stallNotification } from './notifications.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';

export interface SessionNoticesDeps {
  readonly log: SessionLog;
  readonly notifier: Pick<Notifier, 'notify'>;
  readonly project?: ProjectNotifications;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class SessionNotices implements Disposable {
  readonly #deps: SessionNoticesDeps;
  readonly #listening: Disposable;
  #before: SessionState;

  constructor(deps: SessionNoticesDeps) {
    this.#deps = deps;
    this.#before = deps.log.state;
    this.#listening = deps.log.onDidRecord((event) => this.#tell(event));
  }

  /** Somebody is asked for leave, and may be elsewhere. */
  asks(call: { readonly title: string; readonly detail: string }): void {
    const { log, notifier, project, clock } = this.#deps;
    notifier.notify(approvalNotification(call, log.state, clock.now()), project);
  }

  /** Nothing can be recorded for now, so no event tells of it. */
  stalled(why: string): void {
    const { log, notifier, project, clock } = this.#deps;
    notifier.notify(stallNotification(why, log.state, clock.now()), project);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  /** A fault here is no fault of the session. */
  #tell(event: JournalEvent): void {
    const { log, notifier, project, logger } = this.#deps;
    const before = this.#before;
    this.#before = log.state;
    try {
      const notification = notificationOf(event, before, log.state);
      if (notification !== undefined) notifier.notify(notification, project);
    } catch (error) {
      logger.error('Nobody could be told of an event', error);
    }
  }
}
