/**
 * API keys of the providers. A key in VS Code's secret storage takes precedence over the
 * environment, and that over the files of `helios auth`. Keys are never logged or shown.
 */
import type { Memento, SecretStorage } from 'vscode';
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

const entryOf = (name: string): ProviderKey | undefined =>
  providerKeys.find(({ secret }) => secret === name) ?? endpointKey(name);

type Storage = Pick<SecretStorage, 'get' | 'store' | 'delete'> & {
  onDidChange(listener: () => void): Disposable;
};

export interface OtherKeys {
  /** Keeps the names of the stored keys, never the keys, to notice that VS Code has lost them. */
  readonly memory?: Pick<Memento, 'get' | 'update'>;
  /** Reads a key that `helios auth` has stored. */
  readFile?(name: string): Promise<string | undefined>;
}

/** Key of the memory with the names of the stored keys. */
const storedNames = 'helios.storedKeys';

export class ApiKeys {
  readonly #storage: Storage;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #other: OtherKeys;
  readonly onDidChange: Event<void>;

  constructor(
    storage: Storage,
    environment: Readonly<Record<string, string | undefined>>,
    other: OtherKeys = {},
  ) {
    this.#storage = storage;
    this.#environment = environment;
    this.#other = other;
    this.onDidChange = (listener) => storage.onDidChange(() => listener());
  }

  /**
   * Returns a secret from the storage or the environment; `undefined` if it is not set. `name`:
   * name by which the engine requests the secret.
   */
  async get(name: string): Promise<string | undefined> {
    const stored = await this.#storage.get(storageKey(name));
    if (stored) return stored;
    const entry = entryOf(name);
    return entry && (this.#fromEnvironment(entry) ?? (await this.#other.readFile?.(name)));
  }

  /** Stores a secret. An empty value deletes the stored secret. */
  async set(name: string, key: string): Promise<void> {
    const trimmed = key.trim();
    const others = this.#stored().filter((each) => each !== name);
    await this.#other.memory?.update(storedNames, trimmed === '' ? others : [...others, name]);
    if (trimmed === '') await this.#storage.delete(storageKey(name));
    else await this.#storage.store(storageKey(name), trimmed);
  }

  /** Returns the keys that were stored here, and that VS Code has lost without another source. */
  async lost(): Promise<readonly ProviderKey[]> {
    const entries = this.#stored().flatMap((name) => entryOf(name) ?? []);
    const found = await Promise.all(entries.map(({ secret }) => this.get(secret)));
    return entries.filter((_, index) => found[index] === undefined);
  }

  /** Returns where the key was found; `undefined` if no key is set. */
  async origin(entry: ProviderKey): Promise<'storage' | 'environment' | 'file' | undefined> {
    if (await this.#storage.get(storageKey(entry.secret))) return 'storage';
    if (this.#fromEnvironment(entry) !== undefined) return 'environment';
    return (await this.#other.readFile?.(entry.secret)) === undefined ? undefined : 'file';
  }

  #stored(): readonly string[] {
    return this.#other.memory?.get<readonly string[]>(storedNames) ?? [];
  }

  #fromEnvironment({ variables }: ProviderKey): string | undefined {
    return variables.map((name) => this.#environment[name]?.trim()).find(Boolean);
  }
}

const storageKey = (name: string): string => `helios.key.${name}`;
