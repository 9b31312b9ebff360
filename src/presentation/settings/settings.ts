/**
 * Every setting, by section. To add a setting, declare it in a file in this folder, then run `npm
 * run manifest`.
 */
import { budgetSettings } from './budgetSettings.ts';
import { modelSettings } from './modelSettings.ts';
import { notificationSettings } from './notificationSettings.ts';
import { networkSettings, providerSettings } from './providerSettings.ts';
import { sessionSettings, storageSettings } from './sessionSettings.ts';
import type { Setting } from './setting.ts';

const declared = {
  ...modelSettings,
  ...providerSettings,
  ...networkSettings,
  ...budgetSettings,
  ...sessionSettings,
  ...notificationSettings,
  ...storageSettings,
};

export type SettingName = keyof typeof declared;
/**
 * Values of all settings, by name without the leading `helios.`, in the form that VS Code returns.
 */
export type Settings = { readonly [Name in SettingName]: (typeof declared)[Name]['default'] };

export const settingNames = Object.keys(declared) as readonly SettingName[];
export const settingOf = (name: SettingName): Setting => declared[name];
export const defaultOf = <Name extends SettingName>(name: Name): Settings[Name] =>
  declared[name].default as Settings[Name];
/** Whether only the user can set the value. Values in the settings of a workspace are ignored. */
export const isOfUser = (name: SettingName): boolean =>
  (settingOf(name).scope ?? 'window') !== 'window';
export const settingKey = (name: SettingName): string => `helios.${name}`;

/** Sections in the Settings editor and the documentation, with the settings of each. */
export const settingSections: Readonly<Record<string, readonly SettingName[]>> = {
  Model: Object.keys(modelSettings) as SettingName[],
  Providers: Object.keys(providerSettings) as SettingName[],
  Network: Object.keys(networkSettings) as SettingName[],
  Budget: Object.keys(budgetSettings) as SettingName[],
  Sessions: Object.keys(sessionSettings) as SettingName[],
  'Notifications and Briefs': Object.keys(notificationSettings) as SettingName[],
  Storage: Object.keys(storageSettings) as SettingName[],
};
