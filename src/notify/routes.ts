/** Decides which channels get a notification: those of the user and of the project. */
import { quietUntil, passesQuiet } from './quietHours.ts';
import {
  defaultEvents,
  type ChannelSettings,
  type NotificationSettings,
  type NotifyEvent,
  type QuietHours,
} from './settings.ts';

/** Settings of the user. */
export interface UserNotifications extends NotificationSettings {
  /** Allows commands of a `helios.json` to run. */
  readonly allowsProjectCommands?: boolean;
}

/** Settings of a `helios.json`. */
export interface ProjectNotifications {
  readonly notifications?: NotificationSettings;
  readonly quietHours?: QuietHours;
}

export interface Route {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
  readonly events: readonly NotifyEvent[];
  readonly quietHours?: QuietHours;
  /** Why nothing is sent there. */
  readonly refused?: string;
}

const windowAlone: readonly ChannelSettings[] = [{ type: 'vscode' }];

/**
 * Merges the channels of user and project. A channel in both gets each message once. Events and
 * quiet hours of a project without channels are defaults for the user's channels.
 */
export function routesOf(user: UserNotifications, project: ProjectNotifications = {}): Route[] {
  const { notifications = {} } = project;
  const asked = notifications.channels ?? [];
  const { events, quietHours } = asked.length === 0 ? notifications : {};
  const ownEvents = chosen(user.events) ?? chosen(events);
  const ownQuiet = user.quietHours ?? quietHours ?? project.quietHours;
  const own = (user.channels ?? windowAlone).map((channel) => route(channel, ownEvents, ownQuiet));
  const known = new Set(own.map(({ channel }) => JSON.stringify(channel)));
  const quiet = notifications.quietHours ?? project.quietHours ?? user.quietHours;
  const others = asked
    .filter((channel) => !known.has(JSON.stringify(channel)))
    .map((channel) => ({
      ...route(channel, chosen(notifications.events), quiet),
      isProject: true,
    }));
  return [...own, ...others.map((each) => ({ ...each, ...refusedIn(each, user) }))];
}

const commandRefused =
  'Commands of helios.json are not run: allow them with helios.notifications.allowProjectCommands, or allowsProjectCommands in preferences.json.';

/** Returns why nothing may be sent there; `undefined` if sending is allowed. */
export const refusalOf = (
  { channel, isProject }: Pick<Route, 'channel' | 'isProject'>,
  { allowsProjectCommands }: UserNotifications,
): string | undefined =>
  isProject && channel.type === 'command' && allowsProjectCommands !== true
    ? commandRefused
    : undefined;

function refusedIn(route: Route, user: UserNotifications): Pick<Route, 'refused'> {
  const refused = refusalOf(route, user);
  return refused === undefined ? {} : { refused };
}

const chosen = (events: readonly NotifyEvent[] | undefined): readonly NotifyEvent[] | undefined =>
  events === undefined || events.length === 0 ? undefined : events;

const route = (
  channel: ChannelSettings,
  events: readonly NotifyEvent[] | undefined,
  quietHours: QuietHours | undefined,
): Route => ({
  channel,
  isProject: false,
  events: events ?? defaultEvents,
  ...(quietHours && { quietHours }),
});

/** Returns the first of the events that the route subscribes to; `undefined` if none. */
export const askedEvent = (
  { events }: Route,
  told: readonly NotifyEvent[],
): NotifyEvent | undefined => told.find((event) => events.includes(event));

/** Returns until when the event is held back; `undefined` if it is sent at once. */
export const heldUntil = (
  { quietHours }: Route,
  event: NotifyEvent,
  nowMs: number,
): number | undefined =>
  quietHours === undefined || passesQuiet(quietHours, event)
    ? undefined
    : quietUntil(quietHours, nowMs);
