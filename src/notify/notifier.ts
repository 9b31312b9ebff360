/**
 * Sends notifications to the user, without blocking or failing the caller. One notifier serves all
 * sessions of a process.
 */
import { delay } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from './channel.ts';
import { childEnv } from './channels/childProcess.ts';
import { cleaned, createChannel } from './createChannel.ts';
import type { HeldMessages, HeldRoute } from './heldMessages.ts';
import type { Notification } from './notification.ts';
import { Outbox } from './outbox.ts';
import { QuietBox } from './quietBox.ts';
import {
  askedEvent,
  heldUntil,
  routesOf,
  type ProjectNotifications,
  type Route,
} from './routes.ts';
import { resolveSecrets, withoutSecrets, type SecretSources } from './secretText.ts';
import type { NotificationSettings } from './settings.ts';

export interface NotifierOptions extends Omit<ChannelDeps, 'resolve'> {
  /** Returns the settings of the user; called for each notification. */
  settings(): NotificationSettings;
  /** Connections for the channels of projects, to public addresses only. */
  readonly publicNetwork: Pick<ChannelDeps, 'fetch' | 'addressOf'>;
  /** Resolves with whether the user still allows the channels with this allowance. */
  isAllowed(allowance: string): Promise<boolean>;
  readonly secrets: SecretSources;
  /** Messages that quiet hours hold back, shared by all processes. */
  readonly held: HeldMessages;
}

/** Result of a test notification to one channel. */
export interface TrialResult {
  readonly channel: string;
  readonly isProject: boolean;
  /** Why the notification did not arrive; omitted if it arrived. */
  readonly problem?: string;
}

interface Box {
  readonly outbox: Outbox;
  readonly quiet: QuietBox;
  readonly channel: Channel;
}

/** Time that a process waits at its end for messages that are being sent. */
const closingMs = 12_000;

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #boxes = new Map<string, Box>();
  /** Names of channels for which a failure was already shown to the user. */
  readonly #reportedChannels = new Set<string>();
  readonly #takingUp: Promise<void>;

  /** Creates the notifier, and schedules the messages that earlier processes held back. */
  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#takingUp = this.#takeUp().catch((error: unknown) =>
      options.logger.warn(`Notifications held by quiet hours cannot be read: ${messageOf(error)}`),
    );
  }

  /**
   * Sends the notification to each subscribed channel: now, later, or as part of a summary,
   * depending on the rate limit and the quiet hours. Does not wait for the channels.
   */
  notify(notification: Notification, project?: ProjectNotifications): void {
    for (const route of routesOf(this.#options.settings(), project))
      this.#post(route, notification);
  }

  /**
   * Sends a test notification to every channel, regardless of subscribed events and quiet hours.
   * Never rejects.
   */
  try(notification: Notification, project?: ProjectNotifications): Promise<readonly TrialResult[]> {
    const { settings } = this.#options;
    return Promise.all(
      routesOf(settings(), project).map((route) => this.#attempt(route, notification)),
    );
  }

  /** Resolves when no message is being sent any more. Never rejects. */
  async settled(): Promise<void> {
    await this.#takingUp;
    await Promise.all([...this.#boxes.values()].map(({ quiet }) => quiet.settled));
    await Promise.all([...this.#boxes.values()].map(({ outbox }) => outbox.settled));
  }

  /**
   * Sends the queued messages, and waits up to `closingMs` for them. Messages that quiet hours hold
   * back stay on disk for the next process.
   */
  async close(): Promise<void> {
    await this.#takingUp;
    for (const { outbox } of this.#boxes.values()) outbox.flush();
    const late = new AbortController();
    const isOver = delay(this.#options.clock, closingMs, late.signal).catch(() => undefined);
    await Promise.race([this.settled(), isOver]);
    late.abort();
    for (const { outbox, quiet } of this.#boxes.values()) {
      outbox.dispose();
      quiet.dispose();
    }
    this.#boxes.clear();
  }

  async #takeUp(): Promise<void> {
    for (const { channel, isProject, untilMs } of await this.#options.held.waiting()) {
      // A process without a window cannot show messages in the window, so it leaves them to another
      // process.
      if (!this.#isAbsent(channel)) this.#boxOf({ channel, isProject }).quiet.releaseAt(untilMs);
    }
  }

  #isAbsent = ({ type }: HeldRoute['channel']): boolean =>
    type === 'vscode' && this.#options.show === undefined;

  #post(route: Route, notification: Notification): void {
    const event = askedEvent(route, notification.events);
    if (event === undefined) return;
    const { outbox, quiet } = this.#boxOf(route);
    const message = { ...notification, event };
    const { channel, isProject, allowance, quietHours } = route;
    const untilMs = heldUntil(route, event, this.#options.clock.now());
    if (untilMs === undefined) outbox.post(message);
    else if (!this.#isAbsent(channel))
      quiet.hold({
        channel,
        isProject,
        ...(allowance !== undefined && { allowance }),
        quietHours,
        untilMs,
        message: cleaned(message, this.#options.redact),
      });
  }

  async #attempt(route: Route, notification: Notification): Promise<TrialResult> {
    const { channel } = this.#boxOf(route);
    const result = { channel: channel.name, isProject: route.isProject };
    try {
      await channel.send({ ...notification, event: notification.events[0] ?? 'error' });
      return result;
    } catch (error) {
      return { ...result, problem: this.#options.redact(messageOf(error)) };
    }
  }

  #boxOf({ channel: settings, isProject }: HeldRoute): Box {
    const key = JSON.stringify([isProject, settings]);
    const before = this.#boxes.get(key);
    if (before !== undefined) return before;
    const { clock, held: store } = this.#options;
    const channel = createChannel(settings, isProject ? this.#projectDeps() : this.#userDeps());
    const onFailed = (error: unknown): void => this.#failed(error, channel.name);
    const outbox = new Outbox({ channel, clock, onFailed });
    const quiet = new QuietBox({
      route: { channel: settings, isProject },
      store,
      clock,
      onFailed,
      mayTell: ({ isProject: needsAllowance, allowance }) =>
        needsAllowance ? this.#mayUse(allowance) : Promise.resolve(true),
      send: (message) => outbox.tell(message),
    });
    const box = { channel, outbox, quiet };
    this.#boxes.set(key, box);
    return box;
  }

  #userDeps(): ChannelDeps {
    const { secrets } = this.#options;
    return { ...this.#options, resolve: (text) => resolveSecrets(text, secrets) };
  }

  /**
   * Returns the dependencies of a project's channel, which gets no secret of the user and can
   * connect only to public addresses.
   */
  #projectDeps(): ChannelDeps {
    const { env, publicNetwork } = this.#options;
    const resolve = async (text: string): Promise<string> => withoutSecrets(text);
    return { ...this.#options, ...publicNetwork, env: childEnv(env), resolve };
  }

  async #mayUse(allowance: string | undefined): Promise<boolean> {
    return allowance !== undefined && (await this.#options.isAllowed(allowance));
  }

  /** Logs the failure. Also shows it to the user if it is the first failure of the channel. */
  #failed(error: unknown, channel: string): void {
    const { logger, show, clock, redact } = this.#options;
    // Without a window, messages for the window always fail, which is expected and cannot be shown.
    if (error instanceof NotifyFailure && error.reason === 'absent' && channel === 'VS Code')
      return;
    const title = `Notifications by ${channel} do not arrive`;
    const body = redact(messageOf(error));
    if (this.#reportedChannels.has(channel)) {
      logger.debug(`${title}: ${body}`);
      return;
    }
    this.#reportedChannels.add(channel);
    logger.warn(`${title}: ${body}`);
    show?.({
      event: 'error',
      events: ['error'],
      title,
      body,
      sessionId: '',
      goal: '',
      atMs: clock.now(),
    });
  }
}
