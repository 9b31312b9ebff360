/**
 * API keys of the providers: VS Code's secret storage first, then the environment. Keys are never
 * logged or shown.
 */
import type { SecretStorage } from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import { endpointSecret, endpointVariable } from '../../compose/endpoints.ts';
import { keySources } from '../../compose/providers.ts';

/** Storage of a key that the user sets. */
export interface ProviderKey {
  readonly provider: string;
  readonly label: string;
  /** The engine's name of the secret. */
  readonly secret: string;
  /** Environment variables; the first that is set wins. */
  readonly variables: readonly string[];
}

export const providerKeys: readonly ProviderKey[] = keySources.filter(
  ({ auth }) => auth !== 'signIn',
);

export const keyOf = (provider: string): ProviderKey | undefined =>
  providerKeys.find((entry) => entry.provider === provider);

/** The key of a user-defined endpoint. */
export const keyOfEndpoint = (id: string, label = id): ProviderKey => ({
  provider: id,
  label,
  secret: endpointSecret(id),
  variables: [endpointVariable(id)],
});

/** `name` is the engine's name of the secret. */
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

  /** `name` is the engine's name of the secret. */
  async get(name: string): Promise<string | undefined> {
    const stored = await this.#storage.get(storageKey(name));
    if (stored) return stored;
    const entry = providerKeys.find(({ secret }) => secret === name) ?? endpointKey(name);
    return entry && this.#fromEnvironment(entry);
  }

  /** An empty key deletes the stored one. */
  async set(name: string, key: string): Promise<void> {
    const trimmed = key.trim();
    if (trimmed === '') await this.#storage.delete(storageKey(name));
    else await this.#storage.store(storageKey(name), trimmed);
  }

  /** Source of the key; `undefined` without a key. */
  async origin(entry: ProviderKey): Promise<'storage' | 'environment' | undefined> {
    if (await this.#storage.get(storageKey(entry.secret))) return 'storage';
    return this.#fromEnvironment(entry) === undefined ? undefined : 'environment';
  }

  #fromEnvironment({ variables }: ProviderKey): string | undefined {
    return variables.map((name) => this.#environment[name]?.trim()).find(Boolean);
  }
}

const storageKey = (name: string): string => `helios.key.${name}`;
