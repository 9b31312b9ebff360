/** Settings as the engine and the views need them, read at the moment of use. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { workspace } from 'vscode';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import type { Budget } from '../../agent/journal/events.ts';
import { defaults, type Settings } from './contributions.ts';
import { budgetOf, dayLimitsOf, type SetLimits } from './limits.ts';

export const setting = <Key extends keyof Settings>(key: Key): Settings[Key] =>
  workspace.getConfiguration('helios').get<Settings[Key]>(key) ?? defaults[key];

/** Whether the person, or the workspace, has named a provider or a model. */
export const isModelSet = (): boolean =>
  (['model.provider', 'model.name'] as const).some((key) => {
    const { globalValue, workspaceValue, workspaceFolderValue } =
      workspace.getConfiguration('helios').inspect<string>(key) ?? {};
    return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined && value !== '');
  });

/** The folder that holds sessions, runs and memory, absolute. */
export const homeFolder = (): string => setting('home') || process.env.HELIOS_HOME || join(homedir(), '.helios');

const setLimits = (scope: '' | 'experiment.'): SetLimits => ({
  usd: setting(`budget.${scope}usd`),
  tokens: setting(`budget.${scope}tokens`),
  minutes: setting(`budget.${scope}minutes`),
  turns: setting(`budget.${scope}turns`),
});

export const suggestedBudget = (): Budget => budgetOf(setLimits(''), setLimits('experiment.'));

export function engineSettings(): EngineSettings {
  const effort = setting('model.effort');
  return {
    provider: setting('model.provider'),
    permissionMode: setting('permissions.mode'),
    protectsGit: setting('git.protect'),
    maxKeptFileBytes: setting('git.maxFileMb') * 1_000_000,
    idleTurns: setting('session.idleTurns'),
    plateau: { experiments: setting('session.plateauExperiments'), onPlateau: setting('session.onPlateau') },
    watchdogs: setting('watchdogs'),
    report: setting('report.write'),
    keepAwake: setting('session.keepAwake'),
    endpoints: setting('endpoints'),
    prices: setting('prices'),
    dayLimits: dayLimitsOf({ usd: setting('budget.day.usd'), tokens: setting('budget.day.tokens') }),
    ...given('model', setting('model.name')),
    ...given('anthropicBaseUrl', setting('providers.anthropicBaseUrl') || process.env.ANTHROPIC_BASE_URL),
    ...given('claudePath', setting('providers.claudePath')),
    ...given('openaiBaseUrl', setting('providers.openaiBaseUrl') || process.env.OPENAI_BASE_URL),
    ...given('geminiBaseUrl', setting('providers.geminiBaseUrl') || process.env.GOOGLE_GEMINI_BASE_URL),
    ...given('bedrockBaseUrl', setting('providers.bedrockBaseUrl') || process.env.ANTHROPIC_BEDROCK_BASE_URL),
    ...given('bedrockRegion', setting('providers.bedrockRegion')),
    ...given('compatibleBaseUrl', setting('providers.compatibleBaseUrl')),
    ...given('chatgptBaseUrl', setting('providers.chatgptBaseUrl') || process.env.CHATGPT_BASE_URL),
    ...given('chatgptAuthUrl', setting('providers.chatgptAuthUrl') || process.env.CHATGPT_AUTH_URL),
    ...given('proxy', setting('network.proxy')),
    ...given('caFile', setting('network.caFile')),
    web: {
      ...given('searxngUrl', setting('web.searxngUrl')),
      allowsPrivateAddresses: setting('web.allowPrivateAddresses'),
    },
    ...consultSettings(),
    notifications: notificationSettings(),
    allowsProjectCommands: setting('notifications.allowProjectCommands'),
    ...(effort !== 'default' && { effort }),
  };
}

/** As they are written; the engine checks them. */
function notificationSettings(): object {
  const quietHours = setting('notifications.quietHours');
  return {
    channels: setting('notifications.channels'),
    events: setting('notifications.events'),
    ...(Object.keys(quietHours).length > 0 && { quietHours }),
  };
}

function consultSettings(): Pick<EngineSettings, 'consult'> {
  const provider = setting('consult.provider');
  return provider === '' ? {} : { consult: { provider, ...given('model', setting('consult.model')) } };
}

const given = <Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> =>
  value ? ({ [key]: value } as Record<Key, string>) : {};
