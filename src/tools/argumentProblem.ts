/**
 * Describes in few words what is wrong with the arguments of a call, and how to correct the call.
 */
import type * as z from 'zod';
import { nearMatches } from '../base/nearMatches.ts';
import { oneLine } from '../base/text.ts';

const maxChars = 400;
const maxIssues = 3;

export interface Parameters {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/**
 * Returns the first problems, each with the description of its argument, in at most 400 characters.
 */
export function argumentProblem(name: string, error: z.ZodError, schema: Parameters): string {
  const problems = error.issues.slice(0, maxIssues).map((issue) => issueText(issue, schema));
  const more = error.issues.length - problems.length;
  const rest = more > 0 ? ` And ${more} more.` : '';
  return oneLine(`${name}: ${problems.join(' ')}${rest}`, maxChars);
}

function issueText(issue: z.core.$ZodIssue, schema: Parameters): string {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return unknownTexts(issue.keys, path, schema);
  const [parameter = ''] = path;
  const isMissing = path.length === 1 && isAbsent(issue);
  const what = isMissing
    ? `The argument ${parameter} is missing.`
    : `${path.join('.') || 'The arguments'}: ${messageOf(issue)}.`;
  const { description } = schema.properties?.[parameter] ?? {};
  return description === undefined ? what : `${what} ${parameter}: ${description}`;
}

const isAbsent = (issue: z.core.$ZodIssue): boolean => / received undefined$/.test(issue.message);

/**
 * Returns the message of an issue. If the schema has alternatives, returns the message of the
 * alternative that fits best.
 */
function messageOf(issue: z.core.$ZodIssue): string {
  const branches = issue.code === 'invalid_union' ? issue.errors : [];
  const deepest = branches.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined) return issue.message.replace(/^Invalid input: /, '');
  const at = deepest.path.length === 0 ? '' : `${deepest.path.map(String).join('.')}: `;
  return `${at}${messageOf(deepest)}`;
}

function unknownTexts(
  keys: readonly string[],
  path: readonly string[],
  { properties = {} }: Parameters,
): string {
  if (path.length > 0) return `${path.join('.')}: there is no ${keys.join(', ')} here.`;
  const known = Object.keys(properties);
  const nearest = new Map(keys.map((key) => [key, nearMatches(key, known)[0]]));
  const strange = keys.filter((key) => nearest.get(key) === undefined);
  const near = [...nearest].flatMap(([key, name]) =>
    name === undefined
      ? []
      : [`There is no argument ${key}: use ${name}. ${properties[name]?.description ?? ''}`],
  );
  const list = `There is no argument ${strange.join(', ')}. Arguments: ${known.join(', ')}.`;
  return [...(strange.length > 0 ? [list] : []), ...near].join(' ');
}
