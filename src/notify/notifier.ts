/**
 * Tells people what happens. Nothing waits for it, and nothing fails by it. One for all sessions of
 * a process.
 */
import { delay } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from './channel.ts';
import { cleaned, createChannel } from './createChannel.ts';
import type { HeldMessages, HeldRoute } from './heldMessages.ts';
import type { Notification } from './notification.ts';
import { Outbox } from './outbox.ts';
import { QuietBox } from './quietBox.ts';
import {
  askedEvent,
  heldUntil,
  refusalOf,
  routesOf,
  type UserNotifications,
  type ProjectNotifications,
  type Route,
} from './routes.ts';
import { resolveSecrets, type SecretSources } from './secretText.ts';

export interface NotifierOptions extends Omit<ChannelDeps, 'resolve'> {
  /** Of the user; read anew for each notification. */
  settings(): UserNotifications;
  readonly secrets: SecretSources;
  /** What quiet hours hold back, whichever process is there when they end. */
  readonly held: HeldMessages;
}

/** What became of a trial. */
export interface TrialResult {
  readonly channel: string;
  readonly isProject: boolean;
  /** Absent: it arrived. */
  readonly problem?: string;
}

interface Box {
  readonly outbox: Outbox;
  readonly quiet: QuietBox;
  readonly channel: Channel;
}

/** How long the end of the process waits for what is on its way. */
const closingMs = 12_000;

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #boxes = new Map<string, Box>();
  /** Channels whose failure was shown. */
  readonly #shown = new Set<string>();
  readonly #takingUp: Promise<void>;

  /** What earlier processes held back is told by this one, at its time. */
  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#takingUp = this.#takeUp().catch((error: unknown) =>
      options.logger.warn(`What quiet hours held back cannot be read: ${messageOf(error)}`),
    );
  }

  /**
   * Returns at once. Each channel that asks for it is told, at once, later or with others, as its
   * settings say.
   */
  notify(notification: Notification, project?: ProjectNotifications): void {
    for (const route of routesOf(this.#options.settings(), project))
      this.#post(route, notification);
  }

  /** Sends it to every channel, whatever its events and hours. Never rejects. */
  try(notification: Notification, project?: ProjectNotifications): Promise<readonly TrialResult[]> {
    const { settings } = this.#options;
    return Promise.all(
      routesOf(settings(), project).map((route) => this.#attempt(route, notification)),
    );
  }

  /** Resolves when nothing is on its way any more. Never rejects. */
  async settled(): Promise<void> {
    await this.#takingUp;
    await Promise.all([...this.#boxes.values()].map(({ quiet }) => quiet.settled));
    await Promise.all([...this.#boxes.values()].map(({ outbox }) => outbox.settled));
  }

  /**
   * Sends what waits for its turn, and gives it some seconds. What quiet hours hold back is left to
   * the next process.
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
      const refused = refusalOf({ channel, isProject }, this.#options.settings());
      // One for a window waits for a window.
      if (refused === undefined && !this.#isAbsent(channel))
        this.#boxOf({ channel, isProject }).quiet.releaseAt(untilMs);
    }
  }

  #isAbsent = ({ type }: HeldRoute['channel']): boolean =>
    type === 'vscode' && this.#options.show === undefined;

  #post(route: Route, notification: Notification): void {
    const event = askedEvent(route, notification.events);
    if (event === undefined) return;
    if (route.refused !== undefined) {
      this.#failed(new NotifyFailure('settings', route.refused), 'commands of helios.json');
      return;
    }
    const { outbox, quiet } = this.#boxOf(route);
    const message = { ...notification, event };
    const { channel, isProject, quietHours } = route;
    const untilMs = heldUntil(route, event, this.#options.clock.now());
    if (untilMs === undefined) outbox.post(message);
    else if (!this.#isAbsent(channel))
      quiet.hold({
        channel,
        isProject,
        quietHours,
        untilMs,
        message: cleaned(message, this.#options.redact),
      });
  }

  async #attempt(route: Route, notification: Notification): Promise<TrialResult> {
    const { channel } = this.#boxOf(route);
    const result = { channel: channel.name, isProject: route.isProject };
    if (route.refused !== undefined) return { ...result, problem: route.refused };
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
    const { clock, secrets, held: store } = this.#options;
    const resolve = (text: string): Promise<string> => resolveSecrets(text, secrets, isProject);
    const channel = createChannel(settings, { ...this.#options, resolve });
    const onFailed = (error: unknown): void => this.#failed(error, channel.name);
    const outbox = new Outbox({ channel, clock, onFailed });
    const quiet = new QuietBox({
      route: { channel: settings, isProject },
      store,
      clock,
      onFailed,
      send: (message) => outbox.tell(message),
    });
    const box = { channel, outbox, quiet };
    this.#boxes.set(key, box);
    return box;
  }

  /** Each is logged; a user is shown the first of a channel. */
  #failed(error: unknown, channel: string): void {
    const { logger, show, clock, redact } = this.#options;
    // Where there is no window there is nobody to be shown this in one.
    if (error instanceof NotifyFailure && error.reason === 'absent' && channel === 'VS Code')
      return;
    const title = `Notifications by ${channel} do not arrive`;
    const body = redact(messageOf(error));
    if (this.#shown.has(channel)) {
      logger.debug(`${title}: ${body}`);
      return;
    }
    this.#shown.add(channel);
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
