/**
 * Declarations of settings. The manifest, `preferences.json`, the engine's settings, the
 * documentation and the defaults of every front end derive from them; `npm run manifest` writes the
 * files.
 */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { NotificationSettings } from '../../notify/settings.ts';

/** Engine settings that group several settings of a user. */
type Group = 'consult' | 'dayLimits' | 'plateau' | 'web';

/** A field of `EngineSettings`, prefixed with its group if it has one. */
export type EnginePath =
  | Exclude<keyof EngineSettings, Group>
  | { [Name in Group]: `${Name}.${keyof NonNullable<EngineSettings[Name]> & string}` }[Group]
  | `notifications.${keyof NotificationSettings}`;

export interface Traits {
  /** Markdown: begins with a verb or a noun, and states the effect of special values. */
  readonly description: string;
  /** Default: window. */
  readonly scope?: 'application' | 'machine' | 'machine-overridable' | 'window';
  /** An untrusted workspace cannot set it. */
  readonly isRestricted?: true;
  /** The engine setting that it sets. Default: only VS Code reads it. */
  readonly engine?: EnginePath;
  /** Whether `preferences.json` has it, under the engine's name. */
  readonly isPreference?: true;
  /** Whether the group of `engine` requires this member. */
  readonly isRequired?: true;
  /** Equivalent option of the `helios` command. */
  readonly option?: string;
  /** Environment variable that applies while the setting is empty. */
  readonly variable?: string;
}

interface Declared<Value> extends Traits {
  readonly default: Value;
  /** The value that means "not set", which is not passed to the engine. */
  readonly none?: Value;
  /** Converts the value to the engine's form. */
  readonly toEngine?: (value: Value) => unknown;
  /** Type and bounds, as a JSON schema. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Schema of the value in `preferences.json`. */
  readonly written: z.ZodType;
  /** Schema of a list or an object; replaces `json` in the manifest, as a JSON schema. */
  readonly schema?: z.ZodType;
}

// Declared as a method, so that a setting of any type is assignable to `Setting<unknown>`.
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

/** A text setting that holds a web address. */
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
  /** Effect of each value, as Markdown. */
  readonly values: Readonly<Record<Value, string>>;
  /** Readable names of the values. Default: the values. */
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

/** An amount; 0 means no limit. */
export const limit = (traits: Traits): Setting<number> =>
  amount({ default: 0, none: 0, minimum: 0, ...traits });
/** A count; 0 means no limit. */
export const countLimit = (traits: Traits): Setting<number> =>
  count({ default: 0, none: 0, minimum: 0, toEngine: Math.ceil, ...traits });

interface Structured<Value> extends Traits {
  readonly default: Value;
  readonly none?: Value;
  readonly schema: z.ZodType;
}

/**
 * A list or an object. Values are validated where they are used, with better messages than a schema
 * gives.
 */
export const structure = <Value>(traits: Structured<Value>): Setting<Value> => ({
  json: {},
  written: z.unknown(),
  ...traits,
});
