/**
 * Selects the channels for a notification, from the channels of the user and those of the project.
 */
import { quietUntil, passesQuiet } from './quietHours.ts';
import {
  defaultEvents,
  type ChannelSettings,
  type NotificationSettings,
  type NotifyEvent,
  type QuietHours,
} from './settings.ts';

/** Notification settings of the user. */
export interface UserNotifications extends NotificationSettings {
  /** True if commands in a `helios.json` may run as notification channels. Default: false. */
  readonly allowsProjectCommands?: boolean;
}

/** Notification settings in a `helios.json`. */
export interface ProjectNotifications {
  readonly notifications?: NotificationSettings;
  readonly quietHours?: QuietHours;
}

export interface Route {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
  readonly events: readonly NotifyEvent[];
  readonly quietHours?: QuietHours;
  /** Why nothing is sent to the channel; omitted if sending is allowed. */
  readonly refused?: string;
}

const windowAlone: readonly ChannelSettings[] = [{ type: 'vscode' }];

/**
 * Merges the channels of the user and of the project. A channel that both have gets each message
 * once. If the project has no channels, its events and quiet hours are defaults for the channels of
 * the user.
 */
export function routesOf(user: UserNotifications, project: ProjectNotifications = {}): Route[] {
  const { notifications = {} } = project;
  const projectChannels = notifications.channels ?? [];
  const { events, quietHours } = projectChannels.length === 0 ? notifications : {};
  const ownEvents = chosen(user.events) ?? chosen(events);
  const ownQuiet = user.quietHours ?? quietHours ?? project.quietHours;
  const userRoutes = (user.channels ?? windowAlone).map((channel) =>
    route(channel, ownEvents, ownQuiet),
  );
  const userChannels = new Set(userRoutes.map(({ channel }) => JSON.stringify(channel)));
  const quiet = notifications.quietHours ?? project.quietHours ?? user.quietHours;
  const projectRoutes = projectChannels
    .filter((channel) => !userChannels.has(JSON.stringify(channel)))
    .map((channel) => ({
      ...route(channel, chosen(notifications.events), quiet),
      isProject: true,
    }));
  return [...userRoutes, ...projectRoutes.map((each) => ({ ...each, ...refusedIn(each, user) }))];
}

const commandRefused =
  'Commands of helios.json are not allowed. Allow them with the setting helios.notifications.allowProjectCommands, or with allowsProjectCommands in preferences.json.';

/** Returns why nothing may be sent to the channel; `undefined` if sending is allowed. */
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

/**
 * Returns the first of the notification's events to which the route subscribes; `undefined` if
 * there is none.
 */
export const askedEvent = (
  { events }: Route,
  notificationEvents: readonly NotifyEvent[],
): NotifyEvent | undefined => notificationEvents.find((event) => events.includes(event));

/**
 * Returns the end of the quiet hours that hold the event back, in milliseconds since the epoch;
 * `undefined` if the event is sent immediately.
 */
export const heldUntil = (
  { quietHours }: Route,
  event: NotifyEvent,
  nowMs: number,
): number | undefined =>
  quietHours === undefined || passesQuiet(quietHours, event)
    ? undefined
    : quietUntil(quietHours, nowMs);
