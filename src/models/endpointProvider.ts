/** The providers of the user's own endpoints. */
import type { Logger } from '../base/logger.ts';
import { createCompatibleProvider } from './compatible/openaiChat.ts';
import { endpointVariable, type EndpointConfig } from './endpoints.ts';
import type { ModelProvider } from './model.ts';
import type { ProviderOptions } from './provider.ts';

/** Creates the provider of an endpoint. `options.apiKey` returns the endpoint's key. */
export function createEndpoint(
  { id, label = id, ...config }: EndpointConfig,
  options: Omit<ProviderOptions, 'baseUrl'> & { readonly logger?: Logger },
): ModelProvider {
  const keyHint = `Set ${endpointVariable(id)} in the environment, run helios auth login ${id}, or run “Helios: Set API Key” in VS Code.`;
  return createCompatibleProvider({ ...options, ...config, identity: { id, label, keyHint } });
}
