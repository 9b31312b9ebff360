/** The reasons why a goal cannot start now, with the buttons that fix them. */
import type { Engine } from '../../agent/contract/engine.ts';
import type { ModelProvider } from '../../models/model.ts';
import { canRunCommands } from '../../compose/filesOnly.ts';
import { projectsAt } from '../../compose/project.ts';
import type { ApiKeys } from './apiKeys.ts';
import { keyFor } from './keyNames.ts';
import { lostKeyText } from './keyText.ts';
import {
  noEndpoint,
  noKey,
  notReady,
  notSignedIn,
  type Refusal,
  type TypedGoal,
} from './preconditions.ts';
import { noMachine } from '../ui/noMachine.ts';
import { engineSettings, homeFolder } from '../ui/settings.ts';

/**
 * Returns the id of the provider for a goal in the folder. The folder's project file takes
 * precedence over the settings. Rejects with `UserFacing` if the project file is invalid.
 */
export const providerIn = async (folder: string): Promise<string> =>
  (await projectsAt(homeFolder()).read(folder))?.provider ?? engineSettings().provider;

/**
 * Returns why no command can run, or why the provider cannot be used; `undefined` if a goal can
 * start. Makes no request to the provider.
 */
export async function refusalFor(
  { engine, keys }: { readonly engine: Engine; readonly keys: ApiKeys },
  provider: string,
  typed: TypedGoal = {},
): Promise<Refusal | undefined> {
  if (!canRunCommands(engine.machines.list())) return noMachine;
  if (provider === 'compatible' && engineSettings().compatibleBaseUrl === undefined)
    return noEndpoint;
  const state = await engine
    .providers()
    .find(({ id }) => id === provider)
    ?.readiness?.();
  if (state === undefined || state.isReady) return undefined;
  if (provider === 'chatgpt') return notSignedIn;
  const key = keyFor(provider);
  if (key === undefined) return notReady(state.problem, state.action);
  const lost = (await keys.lost()).some(({ secret }) => secret === key.secret);
  return noKey(key, { ...typed, lost: lost ? lostKeyText(key) : undefined });
}

/** Returns the ids of the providers that are ready, without requests to the providers. */
export async function readyProviders(engine: Engine): Promise<ReadonlySet<string>> {
  const isReady = async (provider: ModelProvider): Promise<boolean> =>
    (await provider.readiness?.())?.isReady ?? true;
  const ready = await Promise.all(
    engine.providers().map(async (each) => ((await isReady(each)) ? [each.id] : [])),
  );
  return new Set(ready.flat());
}
