/** Chooses the model provider, and builds the settings of the engine. */
import type { EngineSettings } from '../agent/contract/settings.ts';
import { UserFacing } from '../base/errors.ts';
import { oneOf } from '../base/text.ts';
import { proxyOf } from '../compose/network.ts';
import {
  keySources,
  providerNames,
  type KeySource,
  type ProviderName,
} from '../compose/providers.ts';
import type { CliOptions } from './arguments.ts';
import type { ReadKey } from './auth/keys.ts';
import type { ProjectFile } from '../project/projects.ts';
import { settingsOfEnvironment } from '../presentation/settings/engineSettings.ts';
import { defaultOf } from '../presentation/settings/settings.ts';
import { preferencesFor, type Preferences } from './preferences.ts';
import type { CliDeps } from './cliDeps.ts';

/**
 * The providers that cannot be used without a key or a sign-in; those with a key come first. All
 * other providers need no key, or check their own credentials.
 */
const needsKey: readonly KeySource[] = (['key', 'signIn'] as const).flatMap((auth) =>
  keySources.filter((source) => source.auth === auth),
);

/**
 * Resolves with the requested provider or, if none is requested, the first provider with a key.
 * Rejects with `UserFacing` if the requested provider is unknown or not set up, or if there is no
 * key at all.
 */
export async function chooseProvider(
  options: CliOptions,
  readKey: ReadKey,
  deps: CliDeps,
  preferences: Preferences = {},
): Promise<string> {
  const endpointIds = (preferences.endpoints ?? []).map(({ id }) => id);
  const requestedName = wantedProvider(options, preferences, endpointIds);
  if (requestedName !== undefined && endpointIds.includes(requestedName)) return requestedName;
  const requestedBuiltIn =
    requestedName === undefined ? undefined : builtIn(requestedName, endpointIds);
  if (requestedBuiltIn === 'compatible') {
    if (!deps.env['OPENAI_BASE_URL']?.trim())
      throw new UserFacing(
        'The provider compatible has no endpoint address.',
        'Set OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1, and --model.',
      );
    return requestedBuiltIn;
  }
  const candidates = needsKey.filter(
    ({ provider }) => requestedBuiltIn === undefined || provider === requestedBuiltIn,
  );
  if (requestedBuiltIn !== undefined && candidates.length === 0) return requestedBuiltIn;
  for (const { provider, secret } of candidates)
    if ((await readKey(secret)) !== undefined) return provider;
  throw noKey(requestedBuiltIn === undefined ? undefined : candidates[0]);
}

/**
 * Returns the preferences with the provider of the project, which overrides the user's provider.
 * Throws `UserFacing` if the project's provider does not exist.
 */
export function inProject(preferences: Preferences, project: ProjectFile | undefined): Preferences {
  if (project?.provider === undefined) return preferences;
  const { file, provider } = project;
  const validNames = [...providerNames, ...(preferences.endpoints ?? []).map(({ id }) => id)];
  if (validNames.includes(provider)) return { ...preferencesFor(preferences, provider), provider };
  throw new UserFacing(
    `${file} names the provider ${provider}, which does not exist.`,
    `Name one of: ${validNames.join(', ')}.`,
  );
}

/** Returns whether options or preferences name a provider. */
export const namesProvider = (options: CliOptions, preferences: Preferences): boolean =>
  wantedProvider(
    options,
    preferences,
    (preferences.endpoints ?? []).map(({ id }) => id),
  ) !== undefined;

/**
 * Returns the provider named by `--provider`, by `--model provider/model`, or by the preferences,
 * in this order.
 */
function wantedProvider(
  options: CliOptions,
  preferences: Preferences,
  endpointIds: readonly string[],
): string | undefined {
  const endpoint = endpointIds.find((id) => options.model?.startsWith(`${id}/`));
  if (options.provider === undefined && endpoint !== undefined) return endpoint;
  return (
    inMode(options.provider ?? providerNamedIn(options.model), options) ?? preferences.provider
  );
}

function builtIn(name: string, endpointIds: readonly string[]): ProviderName {
  const found = providerNames.find((each) => each === name);
  if (found !== undefined) return found;
  throw new UserFacing(
    `There is no model provider ${name}.`,
    `Choose one of: ${[...providerNames, ...endpointIds].join(', ')}.`,
  );
}

function inMode(
  provider: ProviderName | undefined,
  { claudeMode }: CliOptions,
): ProviderName | undefined {
  if (claudeMode === 'api') return provider;
  if (provider === undefined || provider === 'claude' || provider === 'claude-cli')
    return 'claude-cli';
  throw new UserFacing(
    `--claude-mode cli applies only to Claude, but the provider is ${provider}.`,
    'Remove --claude-mode cli, or choose a Claude model.',
  );
}

/** Returns the provider that a model name begins with, such as `openai` in `openai/gpt-5.4`. */
const providerNamedIn = (model = ''): ProviderName | undefined =>
  providerNames.find((name) => model.startsWith(`${name}/`));

function noKey(source: KeySource | undefined): UserFacing {
  if (source?.auth === 'signIn')
    return new UserFacing('You are not signed in to ChatGPT.', 'Sign in with: helios auth login');
  const keyed = needsKey.filter(({ auth }) => auth === 'key');
  const variables = source?.variables ?? keyed.flatMap((each) => each.variables.slice(0, 1));
  const names = source === undefined ? keyed.map(({ provider }) => provider) : [source.provider];
  return new UserFacing(
    source === undefined
      ? 'No model is available: there is no key.'
      : `There is no key for the provider ${source.provider}.`,
    `Store a key with helios auth login ${names.join('|')}, or set ${oneOf(variables)}; or sign in to ChatGPT with helios auth login. With a Claude subscription, -P claude-cli uses your own claude command. Without a key, -P demo runs the scripted offline demo.`,
  );
}

/**
 * Returns the network settings from environment variables: addresses of services, and the proxy.
 */
export function networkFor(env: CliDeps['env']): Partial<EngineSettings> {
  const compatibleBaseUrl = env['OPENAI_BASE_URL']?.trim();
  return {
    ...proxyOf(env),
    ...settingsOfEnvironment(env),
    ...(compatibleBaseUrl && { compatibleBaseUrl }),
  };
}

/**
 * Returns the engine's settings from preferences, environment variables and options, in increasing
 * precedence. `provider` is undefined for a session that already has a provider.
 */
export function settingsFor(
  options: Pick<CliOptions, 'model' | 'effort'> & Partial<Pick<CliOptions, 'mode' | 'dayLimits'>>,
  provider: string | undefined,
  { env }: CliDeps,
  preferences: Preferences = {},
): EngineSettings {
  return {
    ...preferencesFor(preferences, provider),
    provider: provider ?? preferences.provider ?? 'claude',
    permissionMode: options.mode ?? 'ask',
    isModeGiven: options.mode !== undefined,
    keepsMode: 'given',
    idleTurns: defaultOf('session.idleTurns'),
    ...networkFor(env),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.effort !== undefined && { effort: options.effort }),
    ...(options.dayLimits !== undefined && { dayLimits: options.dayLimits }),
  };
}
