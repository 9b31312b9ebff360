/**
 * The fields of `helios.json`. Their descriptions are shown to users, because the JSON schema for
 * editors is generated from this file.
 */
import * as z from 'zod';
import { checkMetricSpec } from '../metrics/lines/metricSpec.ts';
import { messageOf } from '../base/errors.ts';
import { mandateSchema } from '../permissions/mandate/mandateFiles.ts';
import { notificationSettingsSchema, quietHoursSchema } from '../notify/settings.ts';
import { plateauSettingsSchema } from '../watchdogs/plateauSettings.ts';
import { watchdogSettingsSchema } from '../watchdogs/settings.ts';

const text = z.string().trim().min(1, 'must not be empty');
const maxTargetChars = 1000;
const limit = z.number().positive('must be above 0');
const count = z.int().positive('must be above 0');

const limitShape = (scope: 'goal' | 'experiment') => ({
  usd: limit.exactOptional().describe('US dollars for model calls.'),
  tokens: count.exactOptional().describe('Tokens of input, cached or not, and of output together.'),
  minutes: limit.exactOptional().describe(`Minutes from the start of the ${scope}.`),
  turns: count.exactOptional().describe('Replies of the model.'),
});

export const budgetSchema = z.strictObject({
  ...limitShape('goal'),
  experiment: z
    .strictObject(limitShape('experiment'))
    .exactOptional()
    .describe('Limits of one experiment, from its launch to the launch of the next one.'),
});

/** Returns the error if the metric names or patterns are invalid; otherwise `undefined`. */
function metricProblem(spec: Parameters<typeof checkMetricSpec>[0]): string | undefined {
  try {
    checkMetricSpec(spec);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const metricNames = z.array(text).superRefine((names, context) => {
  for (const [index, name] of names.entries()) {
    const message = metricProblem({ names: [name] });
    if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
  }
});

const metricPatterns = z.record(text, z.string().min(1)).superRefine((patterns, context) => {
  for (const [name, pattern] of Object.entries(patterns)) {
    const message = metricProblem({ patterns: { [name]: pattern } });
    if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
  }
});

const isInside = (folder: string): boolean =>
  !/^(?:[\\/~]|[A-Za-z]:)|\p{Cc}/u.test(folder) && !folder.split(/[\\/]/).includes('..');

export const projectSchema = z.strictObject({
  $schema: z.string().exactOptional().describe('Schema, for editors.'),
  provider: text
    .exactOptional()
    .describe('Model provider, such as claude, openai, gemini or an endpoint of yours.'),
  model: text.exactOptional().describe('Model of the provider, such as claude-opus-4-6.'),
  defaultMachine: text
    .exactOptional()
    .describe(
      'Id of the machine, as in machines.json, for tool calls that name no machine. Default: local.',
    ),
  metricNames: metricNames
    .exactOptional()
    .describe(
      'Metrics to read from the output of runs that are started without metric names. Default: metrics are detected.',
    ),
  metricPatterns: metricPatterns
    .exactOptional()
    .describe(
      'Regular expression of each metric, with one group for the number, for metrics that are not printed as name=value.',
    ),
  target: text
    .max(maxTargetChars, `must have at most ${maxTargetChars} characters`)
    .exactOptional()
    .describe(
      'Target of every goal here, such as: val_loss < 0.3, mean over seeds 0-2. Default: read from the goal.',
    ),
  instructions: z.string().exactOptional().describe('Instructions that the agent always sees.'),
  experimentDir: text
    .refine(isInside, 'must be a folder inside the project, such as "experiments"')
    .exactOptional()
    .describe('Folder for reports and results, relative to this file.'),
  notifications: notificationSettingsSchema
    .exactOptional()
    .describe(
      'Notifications of this project. Channels count after you have allowed them, and cannot use your variables or secrets.',
    ),
  quietHours: quietHoursSchema.exactOptional(),
  budget: budgetSchema
    .exactOptional()
    .describe(
      'Limits of a goal that is started without limits. If the settings have the same limit, the lower value applies.',
    ),
  runMinutes: limit
    .exactOptional()
    .describe(
      'Minutes after which every run and every point of a sweep is ended. If the settings have this limit, too, the lower value applies.',
    ),
  watchdogs: watchdogSettingsSchema
    .exactOptional()
    .describe('Checks of every run, and the action of each.'),
  plateau: plateauSettingsSchema
    .exactOptional()
    .describe('Detection of experiments that bring no improvement.'),
  mandate: mandateSchema
    .exactOptional()
    .describe(
      'Mandate that the project proposes for the mode mandate. Counts after you have allowed it; omitted fields are as in the built-in mandate.',
    ),
  permissions: z
    .strictObject({
      mode: z
        .literal('ask', 'can only be "ask": a project can narrow what you allowed, never widen it')
        .exactOptional(),
    })
    .exactOptional()
    .describe('Permissions of the agent. The mode ask applies whatever mode the settings have.'),
});

/** The content of a `helios.json`. Every field is optional. */
export type Project = z.output<typeof projectSchema>;
