/** Settings for notifications. */
import * as z from 'zod';
import { oneOf } from '../../base/text.ts';
import {
  channelTypes,
  defaultEvents,
  notificationSettingsSchema,
  quietHoursSchema,
} from '../../notify/settings.ts';
import { structure, type Setting } from './setting.ts';

const { channels, events } = notificationSettingsSchema.shape;
const code = (word: string): string => `\`${word}\``;

export const notificationSettings = {
  'notifications.channels': structure<readonly unknown[]>({
    default: [{ type: 'vscode' }],
    description:
      'Channels of notifications, beside those of a project. [Set Secret](command:helios.setSecret) stores secrets, [Send Test Notification](command:helios.testNotification) tries them.',
    details: `The type of a channel is ${oneOf(channelTypes.map(code))}. Write secrets as \`\${env:NAME}\` or \`\${secret:name}\`. A project declares channels in its \`helios.json\`.`,
    schema: channels.unwrap(),
    scope: 'application',
    engine: 'notifications.channels',
    isPreference: true,
  }),
  'notifications.events': structure<readonly string[]>({
    default: [],
    description: 'Events to be notified of. When empty, the important ones.',
    details: `The important events are ${defaultEvents.map(code).join(', ')}.`,
    schema: events.unwrap().meta({ uniqueItems: true }),
    engine: 'notifications.events',
    isPreference: true,
  }),
  'notifications.quietHours': structure<Readonly<Record<string, unknown>>>({
    default: {},
    none: {},
    description:
      'Hours without notifications, such as `{ "from": "22:00", "to": "07:30", "except": ["error"] }`. One summary follows at the end.',
    details: 'The summary contains the notifications that were held back.',
    schema: z.strictObject(quietHoursSchema.shape).partial(),
    engine: 'notifications.quietHours',
    isPreference: true,
  }),
} satisfies Readonly<Record<string, Setting>>;
