/** The API keys that the user can set, those of the endpoints in the settings included. */
import { checkEndpoints } from '../../compose/endpoints.ts';
import { engineSettings } from '../ui/settings.ts';
import { keyOfEndpoint, providerKeys, type ProviderKey } from './apiKeys.ts';

export const keyNames = (): readonly ProviderKey[] => [
  ...providerKeys,
  ...checkEndpoints(engineSettings().endpoints).endpoints.map(({ id, label }) =>
    keyOfEndpoint(id, label),
  ),
];

/** Returns the key of a provider; `undefined` if the provider has no API key. */
export const keyFor = (provider: string): ProviderKey | undefined =>
  keyNames().find((entry) => entry.provider === provider);
