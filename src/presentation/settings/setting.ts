/**
 * The form in which settings are declared. The manifest, `preferences.json`, the engine's settings,
 * the documentation and the defaults in every front end derive from these declarations; `npm run
 * manifest` writes the files.
 */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { NotificationSettings } from '../../notify/settings.ts';

/** Groups in the engine's settings. Each member of a group is a separate setting for the user. */
type Group = 'consult' | 'dayLimits' | 'plateau' | 'web';

/** Name of a field in `EngineSettings`, with its group in front if it has one. */
export type EnginePath =
  | Exclude<keyof EngineSettings, Group>
  | { [Name in Group]: `${Name}.${keyof NonNullable<EngineSettings[Name]> & string}` }[Group]
  | `notifications.${keyof NotificationSettings}`;

export interface Traits {
  /**
   * Description as Markdown, for the Settings editor: at most 160 characters. Begins with a verb or
   * a noun, and explains the effect of special values.
   */
  readonly description: string;
  /** Further sentences as Markdown, for the documentation. */
  readonly details?: string;
  /**
   * Scope of the setting in VS Code. Default: window. A workspace can set a value only in the scope
   * `window`, so a setting has another scope if its value can extend what the agent may do, run,
   * send, spend or connect to.
   */
  readonly scope?: 'application' | 'machine' | 'window';
  /** The engine setting with this value. Default: none; only VS Code uses the setting. */
  readonly engine?: EnginePath;
  /** Whether the setting may also be in `preferences.json`, under the engine's name. */
  readonly isPreference?: true;
  /** Whether this setting is required in its group: without it, the whole group is omitted. */
  readonly isRequired?: true;
  /** Option of the `helios` command with the same effect. */
  readonly option?: string;
  /** Environment variable that is used while the setting is empty. */
  readonly variable?: string;
}

interface Declared<Value> extends Traits {
  readonly default: Value;
  /** Value that means "not set". This value is not passed to the engine. */
  readonly none?: Value;
  /** Converts the user's value to the value for the engine. */
  readonly toEngine?: (value: Value) => unknown;
  /** Type and bounds of the value, as JSON schema. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Schema of the value in `preferences.json`. */
  readonly written: z.ZodType;
  /** Schema of a list or an object, used in the manifest (as JSON schema) instead of `json`. */
  readonly schema?: z.ZodType;
}

// `toEngine` is declared as a method, because TypeScript compares the parameters of methods less
// strictly. A setting of any type is then assignable to `Setting<unknown>`.
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

/** Declares a text setting that contains a web address. */
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
  /** The possible values, and the effect of each as Markdown. */
  readonly values: Readonly<Record<Value, string>>;
  /** Readable names of the values. Default: the values themselves. */
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

/** Declares an amount for which 0 means no limit. */
export const limit = (traits: Traits): Setting<number> =>
  amount({ default: 0, none: 0, minimum: 0, ...traits });
/** Declares a count for which 0 means no limit. */
export const countLimit = (traits: Traits): Setting<number> =>
  count({ default: 0, none: 0, minimum: 0, toEngine: Math.ceil, ...traits });

interface Structured<Value> extends Traits {
  readonly default: Value;
  readonly none?: Value;
  readonly schema: z.ZodType;
  /** Schema of the value in `preferences.json`. Default: any value. */
  readonly written?: z.ZodType;
}

/**
 * Declares a list or an object. The values are validated where they are used, with better error
 * messages than a JSON schema allows.
 */
export const structure = <Value>(traits: Structured<Value>): Setting<Value> => ({
  json: {},
  written: z.unknown(),
  ...traits,
});
