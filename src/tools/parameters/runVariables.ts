/**
 * Environment variables of a launch. They become part of its command, so that permissions, labels,
 * repeats and reproductions see them.
 */
import * as z from 'zod';
import { isSecretName } from '../../base/secrets/secretNames.ts';
import { shellQuote } from '../../base/text.ts';

export const env = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .superRefine((variables, context) => {
    for (const name of Object.keys(variables)) {
      const message = problemOf(name);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }
  })
  .optional()
  .describe('Environment variables; no secrets.')
  .meta({ isOpaque: true });

function problemOf(name: string): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${JSON.stringify(name)} is not the name of a variable`;
  return isSecretName(name)
    ? `${name} is the name of a secret, which a call must not contain; the user passes it to runs with the setting helios.run.passEnvironment`
    : undefined;
}

/** Matches a simple command that expands no variables. */
const simple = /^[^;&|\n(`$]*$/;
const plainValue = /^[\w.,:/@%+=-]*(?:\{\w+\}[\w.,:/@%+=-]*)*$/;

/** Returns the command with the variables set for the whole command. */
export function withVariables(command: string, variables: z.output<typeof env>): string {
  // Sort the variables, so that the same launch always gives the same command.
  const assigned = Object.entries(variables ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quoted(String(value))}`)
    .join(' ');
  if (assigned === '') return command;
  return simple.test(command) && !/(?:^|\s)\{\s/.test(command)
    ? `${assigned} ${command}`
    : `export ${assigned}; ${command}`;
}

/** Quotes a value, except for the placeholders of a sweep. */
const quoted = (value: string): string => (plainValue.test(value) ? value : shellQuote(value));
