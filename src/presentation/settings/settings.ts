/**
 * Every setting, by section. To add a setting, declare it in a file in this folder, then run `npm
 * run manifest`.
 */
import { advancedSettings } from './advancedSettings.ts';
import { budgetSettings } from './budgetSettings.ts';
import { modelSettings } from './modelSettings.ts';
import { notificationSettings } from './notificationSettings.ts';
import { permissionSettings } from './permissionSettings.ts';
import { reportSettings } from './reportSettings.ts';
import { sessionSettings } from './sessionSettings.ts';
import type { Setting } from './setting.ts';
import { storageSettings } from './storageSettings.ts';
import { watchdogSettings } from './watchdogSettings.ts';

const declared = {
  ...modelSettings,
  ...permissionSettings,
  ...budgetSettings,
  ...sessionSettings,
  ...notificationSettings,
  ...watchdogSettings,
  ...reportSettings,
  ...storageSettings,
  ...advancedSettings,
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

const namesOf = (settings: Partial<typeof declared>): readonly SettingName[] =>
  Object.keys(settings) as SettingName[];

/** Sections in the Settings editor and the documentation, with the settings of each. */
export const settingSections: Readonly<Record<string, readonly SettingName[]>> = {
  Model: namesOf(modelSettings),
  Permissions: namesOf(permissionSettings),
  Budget: namesOf(budgetSettings),
  Sessions: namesOf(sessionSettings),
  Notifications: namesOf(notificationSettings),
  Watchdogs: namesOf(watchdogSettings),
  Reports: namesOf(reportSettings),
  Storage: namesOf(storageSettings),
  Advanced: namesOf(advancedSettings),
};
