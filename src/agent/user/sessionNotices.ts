/**
 * Sends notifications for newly recorded events. Events that are already in the journal when a
 * session is opened cause no notifications, because these were sent when the events were recorded.
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

  /** Notifies the user that a call needs approval, because the user may be away. */
  asks(call: { readonly title: string; readonly detail: string }): void {
    const { log, notifier, project, clock } = this.#deps;
    notifier.notify(approvalNotification(call, log.state, clock.now()), project);
  }

  /**
   * Notifies the user that the journal is stalled. No event exists for this, because nothing can be
   * recorded.
   */
  stalled(why: string): void {
    const { log, notifier, project, clock } = this.#deps;
    notifier.notify(stallNotification(why, log.state, clock.now()), project);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  /** Sends the notification for an event. Logs a failure and does not let it fail the session. */
  #tell(event: JournalEvent): void {
    const { log, notifier, project, logger } = this.#deps;
    const before = this.#before;
    this.#before = log.state;
    try {
      const notification = notificationOf(event, before, log.state);
      if (notification !== undefined) notifier.notify(notification, project);
    } catch (error) {
      logger.error('A notification could not be sent', error);
    }
  }
}
