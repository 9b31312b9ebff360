/** The fields of `helios.json`. The JSON schema for editors is made from this, too: what a field says here is what people read. */
import * as z from 'zod';
import { createLineParser } from '../metrics/lineParser.ts';
import { messageOf } from '../base/errors.ts';
import { notificationSettingsSchema, quietHoursSchema } from '../notify/settings.ts';
import { plateauSettingsSchema } from '../watchdogs/plateauSettings.ts';
import { watchdogSettingsSchema } from '../watchdogs/settings.ts';

const text = z.string().trim().min(1, 'must not be empty');
const limit = z.number().positive('must be above 0');
const count = z.int().positive('must be above 0');

const limitShape = {
  usd: limit.exactOptional().describe('US dollars for model calls.'),
  tokens: count.exactOptional().describe('Of input, cached or not, and of output together.'),
  minutes: limit.exactOptional().describe('From the start.'),
  turns: count.exactOptional().describe('Replies of the model.'),
};

const budgetSchema = z.strictObject({
  ...limitShape,
  experiment: z.strictObject(limitShape).exactOptional().describe('From the launch of one run to that of the next.'),
});

/** Why the names and patterns cannot be used; undefined when they can. */
function metricProblem(spec: Parameters<typeof createLineParser>[0]): string | undefined {
  try {
    createLineParser(spec);
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
  $schema: z.string().exactOptional().describe('For editors.'),
  provider: text.exactOptional().describe('Who answers, such as claude, openai, gemini or an endpoint of yours.'),
  model: text.exactOptional().describe('Of that provider, such as claude-opus-4-6.'),
  defaultMachine: text
    .exactOptional()
    .describe('The id of the machine of calls that name none, as in machines.json. Default: local.'),
  metricNames: metricNames
    .exactOptional()
    .describe('Read from the output of runs whose launch names none. Default: metrics are detected.'),
  metricPatterns: metricPatterns
    .exactOptional()
    .describe('Metric → regular expression with one group for the number. Wins over metricNames.'),
  instructions: z.string().exactOptional().describe('What the agent always has before it.'),
  experimentDir: text
    .refine(isInside, 'must be a folder inside the project, such as "experiments"')
    .exactOptional()
    .describe('Where reports and results go, in the folder of this file.'),
  notifications: notificationSettingsSchema.exactOptional().describe('Where you are told of what happens.'),
  quietHours: quietHoursSchema.exactOptional(),
  budget: budgetSchema
    .exactOptional()
    .describe('Limits of a goal that names none. Of these and those of the settings the tighter counts.'),
  watchdogs: watchdogSettingsSchema.exactOptional().describe('What is looked for in every run, and what is done then.'),
  plateau: plateauSettingsSchema.exactOptional().describe('When experiments bring nothing more.'),
  permissions: z
    .strictObject({
      mode: z
        .literal('ask', 'can only be "ask": a project can narrow what you allowed, never widen it')
        .exactOptional(),
    })
    .exactOptional()
    .describe('Asked before every tool, even where the settings allow all.'),
});

/** What a project says about itself. Every field is optional. */
export type Project = z.output<typeof projectSchema>;
