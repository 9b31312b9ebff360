/** Checks the content of a `helios.json`. */
import * as z from 'zod';
import { isShallow, tooDeep } from '../base/jsonText.ts';
import { nearMatches } from '../base/nearMatches.ts';
import { findSecrets } from '../base/secrets/findSecrets.ts';
import { notInProject, refersToSecret } from '../notify/secretText.ts';
import { projectSchema, type Project } from './projectSchema.ts';

/** A problem in the file. `path`: the path of the value that causes the problem. */
export interface ProjectProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface ProjectCheck {
  /** The checked content; omitted if there are problems. */
  readonly project?: Project;
  readonly problems: readonly ProjectProblem[];
  /** Unknown names in the file, which are ignored. */
  readonly warnings: readonly ProjectProblem[];
}

type Issue = z.core.$ZodIssue;
type UnknownKeys = Extract<Issue, { readonly code: 'unrecognized_keys' }>;

/**
 * Checks the content of the file. Unknown names are ignored with a warning, so that files of other
 * versions can be read.
 */
export function checkProject(value: unknown): ProjectCheck {
  if (!isShallow(value)) return { problems: [{ path: [], message: tooDeep }], warnings: [] };
  const first = projectSchema.safeParse(value, { reportInput: true });
  const unknown = (first.error?.issues ?? [])
    .flatMap(realIssues)
    .filter((issue) => issue.code === 'unrecognized_keys');
  const parsed =
    unknown.length === 0
      ? first
      : projectSchema.safeParse(without(value, unknown), { reportInput: true });
  const warnings = [...unknownKeys(unknown), ...plainSecrets(value, [])];
  return parsed.success
    ? { project: parsed.data, problems: [], warnings }
    : { problems: parsed.error.issues.flatMap(realIssues).map(problemOf), warnings };
}

/**
 * Returns the actual problems behind an issue. If a value fits no alternative of a union, returns
 * the issues of the closest alternative.
 */
function realIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isNear = ({ path, code }: Issue): boolean =>
    path.length > 0 || code === 'unrecognized_keys';
  const nearest =
    issue.errors.find((way) => way.some(isNear)) ??
    (issue.input === Object(issue.input)
      ? undefined
      : issue.errors.find(([only]) => only?.code !== 'invalid_type'));
  if (nearest === undefined) return [issue];
  return nearest.flatMap((each) => realIssues({ ...each, path: [...issue.path, ...each.path] }));
}

const problemOf = (issue: Issue): ProjectProblem => ({
  path: issue.path,
  message: messageFor(issue),
});

function messageFor(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return `${issue.input === undefined ? 'is missing: it ' : ''}must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundText(issue);
  if (issue.code === 'invalid_key') return 'must not be empty';
  if (issue.code !== 'invalid_value' || issue.values.length === 1) return issue.message;
  const values = issue.values.map(String);
  const [near] = typeof issue.input === 'string' ? nearMatches(issue.input, values) : [];
  return `must be one of ${values.join(', ')}${near === undefined ? '' : `. Did you mean ${near}?`}`;
}

/**
 * Returns the text for a value outside its bounds. Prefers a message that the schema itself
 * defines.
 */
function boundText(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const [is, bound] =
    issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum];
  if (!/^Too (?:small|big)/.test(issue.message)) return issue.message;
  if (issue.origin === 'array')
    return `must have ${is} ${bound} ${bound === 1 ? 'entry' : 'entries'}`;
  const open = issue.code === 'too_small' ? 'above' : 'below';
  return `must be ${issue.inclusive === false ? open : is} ${bound}`;
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object, { … }',
  record: 'an object, { … }',
  string: 'a text in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/**
 * Maximum number of unknown names for which a similar valid name is searched; callers show no more.
 */
const maxHints = 20;

const unknownKeys = (issues: readonly UnknownKeys[]): ProjectProblem[] =>
  issues
    .flatMap((issue) => issue.keys.map((key) => ({ issue, key })))
    .map(({ issue, key }, index) => ({
      path: [...issue.path, key],
      message: `is not known, and has no effect.${index < maxHints ? ` ${hintFor(key, issue)}` : ''}`,
    }));

function hintFor(key: string, issue: UnknownKeys): string {
  const validNames = knownKeys(issue.path, issue.input);
  const [near] = nearMatches(key, validNames);
  return near === undefined ? `Known names: ${validNames.join(', ')}.` : `Did you mean ${near}?`;
}

interface JsonSchema {
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/**
 * Returns the names of the fields that are valid at the path, to suggest one. For a notification
 * channel, only the fields of its type.
 */
function knownKeys(path: readonly PropertyKey[], input: unknown): string[] {
  const ways = ({ anyOf = [], oneOf = [], ...schema }: JsonSchema): JsonSchema[] => [
    schema,
    ...anyOf,
    ...oneOf,
  ];
  const step = (schemas: readonly JsonSchema[], key: PropertyKey): JsonSchema[] =>
    schemas
      .flatMap(ways)
      .flatMap(
        (schema) =>
          (typeof key === 'number' ? schema.items : schema.properties?.[String(key)]) ?? [],
      );
  const whole = z.toJSONSchema(projectSchema, { io: 'input' }) as JsonSchema;
  const type =
    typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
  const isMeant = ({ properties }: JsonSchema): boolean =>
    [undefined, type].includes(properties?.['type']?.const);
  const found = path.reduce(step, [whole]).flatMap(ways).filter(isMeant);
  return [...new Set(found.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

function without(value: unknown, issues: readonly Issue[]): unknown {
  const copy = structuredClone(value);
  for (const issue of issues) {
    const place = issue.path.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown>)[key],
      copy,
    );
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) delete (place as Record<string, unknown>)[key];
  }
  return copy;
}

/**
 * Returns a warning for each reference to a secret, and for each secret in plain text, because
 * everybody who has the project can read the file.
 */
function plainSecrets(value: unknown, path: readonly PropertyKey[]): ProjectProblem[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) =>
      plainSecrets(each, [...path, Array.isArray(value) ? Number(key) : key]),
    );
  if (typeof value !== 'string') return [];
  if (path[0] === 'notifications' && refersToSecret(value))
    return [{ path, message: notInProject }];
  const isSecret =
    path.at(-1) === 'password' || findSecrets(`${String(path.at(-1))}: "${value}"`).length > 0;
  const message =
    'looks like a secret, and this file is shared. Remove it, and declare the channel in your own notification settings.';
  return isSecret ? [{ path, message }] : [];
}
