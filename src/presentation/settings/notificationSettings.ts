/** Settings for notifications and briefs. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { oneOf } from '../../base/text.ts';
import {
  channelTypes,
  defaultEvents,
  notificationSettingsSchema,
  quietHoursSchema,
} from '../../notify/settings.ts';
import { choice, structure, type Setting } from './setting.ts';

const { channels, events } = notificationSettingsSchema.shape;
const code = (word: string): string => `\`${word}\``;

export const notificationSettings = {
  'notifications.channels': structure<readonly unknown[]>({
    default: [{ type: 'vscode' }],
    description: `Channels of notifications, in addition to those that a project declares in its \`helios.json\`. The type of a channel is ${oneOf(channelTypes.map(code))}. Write secrets as \`\${env:NAME}\` or \`\${secret:name}\` ([Set Secret](command:helios.setSecret)). Try the channels with [Send Test Notification](command:helios.testNotification).`,
    schema: channels.unwrap(),
    scope: 'application',
    engine: 'notifications.channels',
    isPreference: true,
  }),
  'notifications.events': structure<readonly string[]>({
    default: [],
    description: `Events to be notified of. When empty, the important ones: ${defaultEvents.map(code).join(', ')}.`,
    schema: events.unwrap().meta({ uniqueItems: true }),
    engine: 'notifications.events',
    isPreference: true,
  }),
  'notifications.quietHours': structure<Readonly<Record<string, unknown>>>({
    default: {},
    none: {},
    description:
      'Hours without notifications, such as `{ "from": "22:00", "to": "07:30", "except": ["error"] }`. Notifications that were held back are sent as one summary at the end.',
    schema: z.strictObject(quietHoursSchema.shape).partial(),
    engine: 'notifications.quietHours',
    isPreference: true,
  }),
  'report.write': choice<NonNullable<EngineSettings['report']>>({
    default: 'always',
    description: 'Creation of a brief with charts when a session with at least one run ends.',
    values: {
      always:
        'Write the brief below `helios-reports` in the working folder, or where `helios.json` says. Your changes to a brief are kept; a new one is written next to it.',
      never:
        'Write it only on request: **Helios: Open Brief**, `/writeup` in the chat, or `helios report --write`.',
    },
    engine: 'report',
  }),
  'report.open': choice({
    default: 'unseen',
    description: 'Automatic opening of the brief, next to the editor and without taking the focus.',
    values: {
      unseen:
        'Open the brief if a session ended while you were not following it: immediately if the window has the focus, otherwise when you return to the window or open it again.',
      never: 'Do not open it. **Helios: Open Brief** opens it.',
    },
  }),
} satisfies Readonly<Record<string, Setting>>;
