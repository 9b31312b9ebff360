/**
 * How a setting is declared. The manifest, `preferences.json`, the engine's settings, the
 * documentation and the defaults of every front end are made from the declarations; `npm run
 * manifest` writes those of them that are files.
 */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { NotificationSettings } from '../../notify/settings.ts';

/** Settings of the engine that hold several settings of a user. */
type Group = 'consult' | 'dayLimits' | 'plateau' | 'web';

/** A field of `EngineSettings`; of a group with the name of the group. */
export type EnginePath =
  | Exclude<keyof EngineSettings, Group>
  | { [Name in Group]: `${Name}.${keyof NonNullable<EngineSettings[Name]> & string}` }[Group]
  | `notifications.${keyof NotificationSettings}`;

export interface Traits {
  /** Markdown: begins with a verb or a noun, and says the effect of special values. */
  readonly description: string;
  /** Default: window. */
  readonly scope?: 'application' | 'machine' | 'machine-overridable' | 'window';
  /** A workspace that is not trusted cannot set it. */
  readonly isRestricted?: true;
  /** The field of the engine's settings that it becomes. Absent: only VS Code reads it. */
  readonly engine?: EnginePath;
  /** `preferences.json` has it, under the engine's name. */
  readonly isPreference?: true;
  /** The group of `engine` counts only with this one. */
  readonly isRequired?: true;
  /** Option of the `helios` command that says the same. */
  readonly option?: string;
  /** Environment variable that counts where the setting is empty. */
  readonly variable?: string;
}

interface Declared<Value> extends Traits {
  readonly default: Value;
  /** The value that means "not set": it does not reach the engine. */
  readonly none?: Value;
  /** Turns the value into the engine's. */
  readonly toEngine?: (value: Value) => unknown;
  /** Type and bounds, as a JSON schema. */
  readonly json: Readonly<Record<string, unknown>>;
  /** What `preferences.json` accepts. */
  readonly written: z.ZodType;
  /** Of a list or an object: replaces `json` in the manifest, where it becomes a JSON schema. */
  readonly schema?: z.ZodType;
}

// A method, so that a setting of any value is one of `unknown`.
export type Setting<Value = unknown> = Omit<Declared<Value>, 'toEngine'> & {
  toEngine?(value: Value): unknown;
};

export const text = (traits: Traits): Setting<string> => ({
  default: '',
  none: '',
  json: { type: 'string' },
  written: z.string().trim().min(1),
  ...traits,
});

/** A text that is a web address. */
export const address = (traits: Traits): Setting<string> => ({ ...text(traits), written: z.url() });

export const flag = (fallback: boolean, traits: Traits): Setting<boolean> => ({
  default: fallback,
  json: { type: 'boolean' },
  written: z.boolean(),
  ...traits,
});

interface Choices<Value extends string> extends Traits {
  readonly default: Value;
  readonly none?: Value;
  /** Each value with its effect, as Markdown. */
  readonly values: Readonly<Record<Value, string>>;
  /** Names of the values for people, where the values do not speak for themselves. */
  readonly labels?: readonly string[];
}

export function choice<Value extends string>({
  values,
  labels,
  ...traits
}: Choices<Value>): Setting<Value> {
  const names = Object.keys(values);
  const json = {
    type: 'string',
    enum: names,
    ...(labels && { enumItemLabels: labels }),
    markdownEnumDescriptions: Object.values(values),
  };
  return { json, written: z.enum(names.filter((name) => name !== traits.none)), ...traits };
}

interface Bounds extends Traits {
  readonly default: number;
  readonly none?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly toEngine?: (value: number) => unknown;
}

export function amount(bounds: Bounds): Setting<number> {
  const { minimum, maximum, exclusiveMinimum, ...traits } = bounds;
  const limits = Object.entries({ minimum, maximum, exclusiveMinimum }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    json: { type: 'number', ...Object.fromEntries(limits) },
    written: z.number().positive().finite(),
    ...traits,
  };
}

export function count(bounds: Bounds): Setting<number> {
  const { json, ...setting } = amount(bounds);
  return { ...setting, json: { ...json, type: 'integer' } };
}

/** An amount of which 0 means no limit. */
export const limit = (traits: Traits): Setting<number> =>
  amount({ default: 0, none: 0, minimum: 0, ...traits });
/** A count of which 0 means no limit. */
export const countLimit = (traits: Traits): Setting<number> =>
  count({ default: 0, none: 0, minimum: 0, toEngine: Math.ceil, ...traits });

interface Structured<Value> extends Traits {
  readonly default: Value;
  readonly none?: Value;
  readonly schema: z.ZodType;
}

/**
 * A list or an object. What a user wrote is checked where it is used, which says more than a
 * schema.
 */
export const structure = <Value>(traits: Structured<Value>): Setting<Value> => ({
  json: {},
  written: z.unknown(),
  ...traits,
});
