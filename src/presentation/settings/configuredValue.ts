/** Reads a setting from the configuration of VS Code. */
import { defaultOf, isOfUser, type SettingName, type Settings } from './settings.ts';

/** The part of VS Code's `WorkspaceConfiguration` that is read, for the section `helios`. */
export interface Configuration {
  get<Value>(name: string): Value | undefined;
  inspect<Value>(
    name: string,
  ): { readonly defaultValue?: Value; readonly globalValue?: Value } | undefined;
}

/**
 * Returns the value of a setting. A setting that only the user can set is read only from the user
 * settings and the remote settings. Values in the settings of a workspace or a folder are ignored,
 * even though VS Code merges them.
 */
export function configuredValue<Name extends SettingName>(
  configuration: Configuration,
  name: Name,
): Settings[Name] {
  if (!isOfUser(name)) return configuration.get<Settings[Name]>(name) ?? defaultOf(name);
  const { globalValue, defaultValue } = configuration.inspect<Settings[Name]>(name) ?? {};
  return globalValue ?? defaultValue ?? defaultOf(name);
}
