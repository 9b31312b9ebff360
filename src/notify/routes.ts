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

/** Notification settings in a `helios.json`. */
export interface ProjectNotifications {
  readonly notifications?: NotificationSettings;
  readonly quietHours?: QuietHours;
  /** Id of the user's allowance of the channels. Without it, no channel is used. */
  readonly allowance?: string;
}

export interface Route {
  readonly channel: ChannelSettings;
  readonly isProject: boolean;
  /** Id of the user's allowance, for a channel of a project. */
  readonly allowance?: string;
  readonly events: readonly NotifyEvent[];
  readonly quietHours?: QuietHours;
}

const windowAlone: readonly ChannelSettings[] = [{ type: 'vscode' }];

/**
 * Merges the channels of the user and of the project. A channel that both have gets each message
 * once. If the project has no channels, its events and quiet hours are defaults for the channels of
 * the user.
 */
export function routesOf(user: NotificationSettings, project: ProjectNotifications = {}): Route[] {
  const { notifications = {}, allowance } = project;
  const projectChannels = notifications.channels ?? [];
  const { events, quietHours } = projectChannels.length === 0 ? notifications : {};
  const ownEvents = chosen(user.events) ?? chosen(events);
  const ownQuiet = user.quietHours ?? quietHours ?? project.quietHours;
  const userRoutes = (user.channels ?? windowAlone).map((channel) =>
    route(channel, ownEvents, ownQuiet),
  );
  const userChannels = new Set(userRoutes.map(({ channel }) => JSON.stringify(channel)));
  const quiet = notifications.quietHours ?? project.quietHours ?? user.quietHours;
  if (allowance === undefined) return userRoutes;
  const projectRoutes = projectChannels
    .filter((channel) => !userChannels.has(JSON.stringify(channel)))
    .map((channel) => ({
      ...route(channel, chosen(notifications.events), quiet),
      isProject: true,
      allowance,
    }));
  return [...userRoutes, ...projectRoutes];
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
