/** Where a person is told of what happens, of what, and when not: in the settings, and in `helios.json` for a project. */
import * as z from 'zod';

/**
 * What can be told. `task_complete`, `task_failed`: a run ended · `experiment_complete`: an experiment was judged, a sweep
 * or a run of its own ended · `metric_threshold`: a value that the agent waits for was reached · `agent_idle`: it waits,
 * and nothing runs · `error`: the session stands still.
 */
export const notifyEvents = [
  'goal_met',
  'session_ended',
  'error',
  'question',
  'approval',
  'budget',
  'alarm',
  'resumed',
  'experiment_complete',
  'task_complete',
  'task_failed',
  'metric_threshold',
  'agent_idle',
] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

/** Where nothing is chosen: what a person would want to be woken for, and not every run of a night. */
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
/** What has the look of a reference and is none would be sent as it stands. */
const hasReferences = (written: string): boolean => !/\$\{(?!(?:env|secret):[^${}]+\})/.test(written);
const isNone = 'has a ${…} that stands for nothing: write ${env:NAME} or ${secret:name}';
const secretText = z.string().refine(hasReferences, isNone);

const windowSchema = z.strictObject({ type: z.literal('vscode') }).describe('A notification in the window.');

const desktopSchema = z
  .strictObject({ type: z.literal('desktop') })
  .describe('A notification of the desktop: notify-send, or osascript on a Mac.');

const webhookSchema = z
  .strictObject({
    type: z.literal('webhook'),
    url: text
      .refine(hasReferences, { error: isNone, abort: true })
      .regex(/^(?:https?:\/\/[^/]|\$\{(?:env|secret):)/, 'must be a web address, such as "https://ntfy.sh/my-lab"')
      .describe(`http:// or https://. ${reference}`),
    method: z.enum(['POST', 'PUT', 'GET']).optional().describe('Default: POST. GET sends no body.'),
    headers: z.record(text, secretText).optional().describe(`Sent beside our own. ${reference}`),
    format: z
      .enum(['plain', 'slack', 'discord', 'ntfy'])
      .optional()
      .describe('Of the body. Default: plain, the notification as JSON.'),
  })
  .describe('A call to a web address.');

const emailSchema = z
  .strictObject({
    type: z.literal('email'),
    host: text.describe('The SMTP server.'),
    port: z.int().min(1).max(65_535).optional().describe('Default: 465 with tls, else 587.'),
    security: z
      .enum(['starttls', 'tls', 'none'])
      .optional()
      .describe('Default: starttls, which is then insisted on. none: only on a way that is safe by itself.'),
    user: secretText.min(1).optional().describe('To log in as; without it there is no log-in.'),
    password: secretText.min(1).optional().describe(reference),
    from: text.describe('The sender.'),
    to: z.union([text, z.array(text).min(1).max(20)], 'must be an address, or a list of them').describe('Who gets it.'),
  })
  .refine(({ user, password }) => password === undefined || user !== undefined, {
    path: ['password'],
    error: 'has no user to log in as: name one, or leave it out',
  })
  .describe('An e-mail, by SMTP.');

const commandSchema = z
  .strictObject({
    type: z.literal('command'),
    command: text.describe('For the shell; it finds HELIOS_EVENT, HELIOS_TITLE, HELIOS_BODY and more around it.'),
    timeoutSeconds: z.number().positive().max(600).optional().describe('Default: 30.'),
  })
  .describe('A command of yours. Those of a project run only where a setting of yours allows it.');

export const channelSchema = z.discriminatedUnion(
  'type',
  [windowSchema, desktopSchema, webhookSchema, emailSchema, commandSchema],
  'must be vscode, desktop, webhook, email or command',
);
export type ChannelSettings = z.output<typeof channelSchema>;
export type WebhookSettings = z.output<typeof webhookSchema>;
export type EmailSettings = z.output<typeof emailSchema>;
export type CommandSettings = z.output<typeof commandSchema>;

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "22:30"');

export const quietHoursSchema = z
  .strictObject({
    from: timeOfDay.describe('Local time, such as "22:00".'),
    to: timeOfDay.describe('Local time, such as "07:30"; before "from" it is that of the next day.'),
    except: z.array(z.enum(notifyEvents)).optional().describe('What is urgent: told all the same.'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must be another time than "from"' })
  .describe('Nothing is told in these hours; what was held back is summed up when they end.');
export type QuietHours = z.output<typeof quietHoursSchema>;

export const notificationSettingsSchema = z.strictObject({
  channels: z.array(channelSchema).max(20).optional().describe('Where to.'),
  events: z.array(z.enum(notifyEvents)).optional().describe('What of. Empty: what matters, and not every run.'),
  quietHours: quietHoursSchema.optional(),
});
export type NotificationSettings = z.output<typeof notificationSettingsSchema>;
