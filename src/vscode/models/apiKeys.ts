/**
 * API keys of the providers. A key in VS Code's secret storage takes precedence over the
 * environment. Keys are never logged or shown.
 */
import type { SecretStorage } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import { endpointSecret, endpointVariable } from '../../compose/endpoints.ts';
import { keySources } from '../../compose/providers.ts';

/** Names under which the API key of a provider is found. */
export interface ProviderKey {
  readonly provider: string;
  readonly label: string;
  /** Name by which the engine requests the key. */
  readonly secret: string;
  /** Names of the environment variables with the key; the first one that is set is used. */
  readonly variables: readonly string[];
}

export const providerKeys: readonly ProviderKey[] = keySources.filter(
  ({ auth }) => auth !== 'signIn',
);

export const keyOf = (provider: string): ProviderKey | undefined =>
  providerKeys.find((entry) => entry.provider === provider);

/** Returns the names of the API key of a user-defined endpoint. */
export const keyOfEndpoint = (id: string, label = id): ProviderKey => ({
  provider: id,
  label,
  secret: endpointSecret(id),
  variables: [endpointVariable(id)],
});

/**
 * Returns the names of an endpoint's API key, given the name by which the engine requests the key;
 * `undefined` for a name of another secret.
 */
function endpointKey(name: string): ProviderKey | undefined {
  const prefix = endpointSecret('');
  return name.startsWith(prefix) ? keyOfEndpoint(name.slice(prefix.length)) : undefined;
}

type Storage = Pick<SecretStorage, 'get' | 'store' | 'delete'> & {
  onDidChange(listener: () => void): Disposable;
};

export class ApiKeys {
  readonly #storage: Storage;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly onDidChange: Event<void>;

  constructor(storage: Storage, environment: Readonly<Record<string, string | undefined>>) {
    this.#storage = storage;
    this.#environment = environment;
    this.onDidChange = (listener) => storage.onDidChange(() => listener());
  }

  /**
   * Returns a secret from the storage or the environment; `undefined` if it is not set. `name`:
   * name by which the engine requests the secret.
   */
  async get(name: string): Promise<string | undefined> {
    const stored = await this.#storage.get(storageKey(name));
    if (stored) return stored;
    const entry = providerKeys.find(({ secret }) => secret === name) ?? endpointKey(name);
    return entry && this.#fromEnvironment(entry);
  }

  /** Stores a secret. An empty value deletes the stored secret. */
  async set(name: string, key: string): Promise<void> {
    const trimmed = key.trim();
    if (trimmed === '') await this.#storage.delete(storageKey(name));
    else await this.#storage.store(storageKey(name), trimmed);
  }

  /** Returns where the key was found; `undefined` if no key is set. */
  async origin(entry: ProviderKey): Promise<'storage' | 'environment' | undefined> {
    if (await this.#storage.get(storageKey(entry.secret))) return 'storage';
    return this.#fromEnvironment(entry) === undefined ? undefined : 'environment';
  }

  #fromEnvironment({ variables }: ProviderKey): string | undefined {
    return variables.map((name) => this.#environment[name]?.trim()).find(Boolean);
  }
}

const storageKey = (name: string): string => `helios.key.${name}`;
