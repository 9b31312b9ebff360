/**
 * Schemas of the notification settings: events, channels and quiet hours. The VS Code settings and
 * the schema of `helios.json` are generated from this file.
 */
import * as z from 'zod';
import { oneOf } from '../base/text.ts';

/** Notification events, each with its description in the settings. */
const eventTexts = {
  goal_met: 'The goal is met.',
  session_ended: 'A session ended, for whatever reason.',
  error: 'An error stops a session.',
  question: 'The agent asks a question.',
  approval: 'The agent needs an approval.',
  budget: 'A limit is near or was reached.',
  alarm: 'A watchdog noticed a problem with a run.',
  resumed: 'A session was resumed.',
  experiment_complete: 'An experiment was judged, or its run or sweep ended.',
  task_complete: 'A run ended.',
  task_failed: 'A run failed.',
  metric_threshold: 'A metric reached a value that the agent waits for.',
  agent_idle: 'The agent sleeps, and no run is active.',
} as const;
export type NotifyEvent = keyof typeof eventTexts;

export const notifyEvents = Object.keys(eventTexts) as readonly NotifyEvent[];
const eventSchema = z
  .enum(notifyEvents)
  // `enumDescriptions` is an extension of JSON Schema by VS Code.
  .meta({ enumDescriptions: Object.values(eventTexts) });

/**
 * Events that a channel gets if its settings list none: those that need the user, not the end of
 * every run.
 */
export const defaultEvents: readonly NotifyEvent[] = [
  'goal_met',
  'session_ended',
  'error',
  'question',
  'approval',
  'budget',
  'alarm',
];

const text = z.string().min(1);
const reference = 'Write secrets as ${env:NAME} or ${secret:name}.';
/**
 * Returns whether all references in the text are well formed. A malformed reference would not be
 * replaced, but sent as text.
 */
const hasReferences = (written: string): boolean =>
  !/\$\{(?!(?:env|secret):[^${}]+\})/.test(written);
const isNone = 'has an invalid reference ${…}: write ${env:NAME} or ${secret:name}';
const secretText = z.string().refine(hasReferences, isNone);

const windowSchema = z
  .strictObject({ type: z.literal('vscode') })
  .describe('A notification in the VS Code window.');

const desktopSchema = z
  .strictObject({ type: z.literal('desktop') })
  .describe('A desktop notification, by notify-send on Linux or osascript on macOS.');

const webhookSchema = z
  .strictObject({
    type: z.literal('webhook'),
    url: text
      .refine(hasReferences, { error: isNone, abort: true })
      .regex(
        /^(?:https?:\/\/[^/]|\$\{(?:env|secret):)/,
        'must be a web address, such as "https://ntfy.sh/my-lab"',
      )
      .describe(`Address, with http:// or https://. ${reference}`),
    method: z
      .enum(['POST', 'PUT', 'GET'])
      .optional()
      .describe('HTTP method. Default: POST. GET sends no body.'),
    headers: z.record(text, secretText).optional().describe(`Additional headers. ${reference}`),
    format: z
      .enum(['plain', 'slack', 'discord', 'ntfy'])
      .optional()
      .describe('Format of the body. Default: plain, the notification as JSON.'),
  })
  .describe('A request to a web address.');

const emailSchema = z
  .strictObject({
    type: z.literal('email'),
    host: text.describe('The SMTP server.'),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('Port of the server. Default: 465 with tls, otherwise 587.'),
    security: z
      .enum(['starttls', 'tls', 'none'])
      .optional()
      .describe(
        'Encryption: starttls (the default; sending fails without it), tls (from the start of the connection) or none (only for trusted networks).',
      ),
    user: secretText.min(1).optional().describe('User to log in as. Default: no login.'),
    password: secretText.min(1).optional().describe(`Password of the user. ${reference}`),
    from: text.describe('The sender.'),
    to: z
      .union([text, z.array(text).min(1).max(20)], 'must be an address, or a list of them')
      .describe('The recipients.'),
  })
  .refine(({ user, password }) => password === undefined || user !== undefined, {
    path: ['password'],
    error: 'has no user to log in as: add a user, or remove the password',
  })
  .describe('An e-mail, by SMTP.');

const commandSchema = z
  .strictObject({
    type: z.literal('command'),
    command: text.describe(
      'Shell command. Gets the notification in environment variables, such as HELIOS_EVENT, HELIOS_TITLE and HELIOS_BODY.',
    ),
    timeoutSeconds: z
      .number()
      .positive()
      .max(600)
      .optional()
      .describe('Seconds after which the command is ended. Default: 30.'),
  })
  .describe('A shell command.');

const channelSchemas = [
  windowSchema,
  desktopSchema,
  webhookSchema,
  emailSchema,
  commandSchema,
] as const;
export const channelTypes = channelSchemas.map(({ shape }) => shape.type.value);

export const channelSchema = z.discriminatedUnion(
  'type',
  channelSchemas,
  `must be ${oneOf(channelTypes)}`,
);
export type ChannelSettings = z.output<typeof channelSchema>;
export type WebhookSettings = z.output<typeof webhookSchema>;
export type EmailSettings = z.output<typeof emailSchema>;
export type CommandSettings = z.output<typeof commandSchema>;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:30"');

export const quietHoursSchema = z
  .strictObject({
    from: timeOfDay.describe('Start in local time, such as "22:00".'),
    to: timeOfDay.describe(
      'End in local time, such as "07:30". A time before "from" is on the next day.',
    ),
    except: z
      .array(eventSchema)
      .optional()
      .describe('Events that are sent immediately, even during quiet hours.'),
  })
  .refine(({ from, to }) => from !== to, {
    path: ['to'],
    error: 'must be another time than "from"',
  })
  .describe(
    'Hours without notifications. Notifications that were held back are sent as one summary at the end.',
  );
export type QuietHours = z.output<typeof quietHoursSchema>;

export const notificationSettingsSchema = z.strictObject({
  channels: z.array(channelSchema).max(20).optional().describe('Channels of the notifications.'),
  events: z
    .array(eventSchema)
    .optional()
    .describe(
      'Events to be notified of. Default: the events that need you, but not the end of every run.',
    ),
  quietHours: quietHoursSchema.optional(),
});
export type NotificationSettings = z.output<typeof notificationSettingsSchema>;
