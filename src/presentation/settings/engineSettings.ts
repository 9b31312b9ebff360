/** Converts the values of settings to the settings of the engine. */
import { isDeepStrictEqual } from 'node:util';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { settingNames, settingOf, type SettingName } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Fields = Record<string, unknown>;

/**
 * Returns the engine settings. Values that are not set are omitted, so that the engine's defaults
 * apply.
 */
export function engineSettingsOf(read: (name: SettingName) => unknown): EngineSettings {
  const fields: Fields = {};
  for (const name of settingNames) {
    const { engine, none, toEngine } = settingOf(name);
    const value = read(name);
    if (engine === undefined || isUnset(value, none)) continue;
    place(fields, engine, toEngine?.(value) ?? value);
  }
  return withoutIncomplete(fields) as unknown as EngineSettings;
}

/**
 * Returns whether a value means “not set”. VS Code does not enforce minimums, so an amount below
 * the value for “no limit” also means no limit.
 */
const isUnset = (value: unknown, none: unknown): boolean =>
  typeof none === 'number' && typeof value === 'number'
    ? value <= none
    : none !== undefined && isDeepStrictEqual(value, none);

/** Returns the settings from environment variables. */
export function settingsOfEnvironment(env: Environment): Partial<EngineSettings> {
  const fields: Fields = {};
  for (const name of settingNames) {
    const { engine, variable } = settingOf(name);
    const value = variable && env[variable]?.trim();
    if (engine !== undefined && value) place(fields, engine, value);
  }
  return fields;
}

/** Sets a value at the path `field` or `group.field`. */
function place(fields: Fields, path: string, value: unknown): void {
  const [first = '', second] = path.split('.');
  fields[first] =
    second === undefined ? value : { ...(fields[first] as object | undefined), [second]: value };
}

/** Removes groups in which a required member is missing. */
function withoutIncomplete(fields: Fields): Fields {
  const required = settingNames.flatMap((name) => {
    const { engine, isRequired } = settingOf(name);
    return isRequired && engine !== undefined ? [engine.split('.')] : [];
  });
  const isWhole = ([name, value]: [string, unknown]): boolean =>
    required.every(
      ([group, field = '']) => group !== name || Object.hasOwn(value as object, field),
    );
  return Object.fromEntries(Object.entries(fields).filter(isWhole));
}
