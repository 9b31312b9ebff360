/**
 * Reads VS Code's settings and converts them for the engine and the views. The values are not
 * cached, so a changed setting applies to the next read.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { workspace } from 'vscode';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { Budget } from '../../agent/journal/events.ts';
import { configuredValue } from '../../presentation/settings/configuredValue.ts';
import {
  engineSettingsOf,
  settingsOfEnvironment,
} from '../../presentation/settings/engineSettings.ts';
import type { SettingName, Settings } from '../../presentation/settings/settings.ts';
import { budgetOf, type SetLimits } from './limits.ts';

export const setting = <Name extends SettingName>(name: Name): Settings[Name] =>
  configuredValue(workspace.getConfiguration('helios'), name);

/** Whether the settings of the user select a provider or a model. */
export const isModelSet = (): boolean =>
  (['model.provider', 'model.name'] as const).some(
    (key) => (workspace.getConfiguration('helios').inspect<string>(key)?.globalValue ?? '') !== '',
  );

/** Whether the user has set the permission mode in the settings. */
export const isModeSet = (): boolean =>
  workspace.getConfiguration('helios').inspect('permissions.mode')?.globalValue !== undefined;

/** Returns the absolute path of the folder for sessions, runs and memory. */
export const homeFolder = (): string =>
  setting('home') || process.env.HELIOS_HOME || join(homedir(), '.helios');

const setLimits = (scope: '' | 'experiment.'): SetLimits => ({
  usd: setting(`budget.${scope}usd`),
  tokens: setting(`budget.${scope}tokens`),
  minutes: setting(`budget.${scope}minutes`),
  turns: setting(`budget.${scope}turns`),
});

export const suggestedBudget = (): Budget => budgetOf(setLimits(''), setLimits('experiment.'));

export const engineSettings = (): EngineSettings => ({
  ...settingsOfEnvironment(process.env),
  ...engineSettingsOf(setting),
});
