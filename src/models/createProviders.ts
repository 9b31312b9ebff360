/** Creates all providers from the settings. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { createAnthropicProvider } from './anthropic/anthropic.ts';
import { apiFetch } from './apiFetch.ts';
import { createBedrockProvider } from './bedrock/bedrock.ts';
import { createChatgptProvider } from './chatgpt/chatgptProvider.ts';
import { ChatgptTokens } from './chatgpt/tokens.ts';
import { createClaudeCliProvider } from './claudeCli/claudeCli.ts';
import { createCompatibleProvider } from './compatible/openaiChat.ts';
import { createDemoProvider } from './demo.ts';
import { createEndpoint } from './endpointProvider.ts';
import { checkEndpoints, endpointSecret, type EndpointConfig } from './endpoints.ts';
import { createGeminiProvider } from './gemini/gemini.ts';
import type { ModelProvider } from './model.ts';
import { createOpenaiProvider } from './openai/openaiResponses.ts';
import type { ProviderOptions } from './provider.ts';
import { providers, type ProviderName } from './providerList.ts';

/** Settings for creating the providers. Read again at each use. */
export interface ProviderSettings {
  /** Id of the default provider of sessions, such as `claude` or `demo`. */
  readonly provider: string;
  readonly model?: string;
  readonly anthropicBaseUrl?: string;
  readonly openaiBaseUrl?: string;
  readonly compatibleBaseUrl?: string;
  readonly geminiBaseUrl?: string;
  readonly bedrockBaseUrl?: string;
  readonly bedrockRegion?: string;
  /** Address of the ChatGPT back end. */
  readonly chatgptBaseUrl?: string;
  /** Address of the sign-in service of ChatGPT. */
  readonly chatgptAuthUrl?: string;
  /** Path of the user's own `claude`. Default: the first `claude` on the PATH. */
  readonly claudePath?: string;
  /**
   * Proxy for every call to a model or the web: `http://host:port`. Default: the proxy settings of
   * VS Code or of the environment.
   */
  readonly proxy?: string;
  /** A PEM file of certificates to trust in addition to those of Node. */
  readonly caFile?: string;
  /** The user's own endpoints, not yet validated. */
  readonly endpoints?: unknown;
}

export interface ProviderDeps {
  settings(): ProviderSettings;
  secret(name: string): Promise<string | undefined>;
  /** Stores a secret. If absent, ChatGPT is not offered, since its sign-in could not be stored. */
  readonly storeSecret?: ((name: string, value: string | undefined) => Promise<void>) | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Working folder of `claude`. If absent, the provider `claude-cli` is not offered. */
  readonly claudeFolder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Further providers. They replace built-in providers with the same id. */
  readonly others?: readonly ModelProvider[];
}

/**
 * Describes how to create a provider. The provider is created again only when `from` changes;
 * otherwise, it keeps its state, such as open conversations.
 */
interface Recipe {
  readonly from: unknown;
  create(): ModelProvider;
}

/** Recipe of each provider; undefined for a provider that cannot be used here. */
type Recipes = Readonly<Record<ProviderName, Recipe | undefined>>;

/**
 * Returns a function that returns the providers for the current settings, by id. Logs each problem
 * with the endpoints once.
 */
export function createProviders(deps: ProviderDeps): () => ReadonlyMap<string, ModelProvider> {
  const made = new Map<string, { readonly key: string; readonly provider: ModelProvider }>();
  const make = (id: string, { from, create }: Recipe): ModelProvider => {
    const key = JSON.stringify(from) ?? '';
    const before = made.get(id);
    const now = before?.key === key ? before : { key, provider: create() };
    made.set(id, now);
    return now.provider;
  };
  const loggedProblems = new Set<string>();
  return () => {
    const settings = deps.settings();
    const { endpoints, problems } = checkEndpoints(settings.endpoints);
    for (const problem of problems.filter((each) => !loggedProblems.has(each)))
      deps.logger.warn(problem);
    for (const problem of problems) loggedProblems.add(problem);
    const builtIn = Object.entries(recipes(deps, settings)).flatMap(([id, recipe]) =>
      recipe ? [make(id, recipe)] : [],
    );
    const endpointProviders = endpoints.map((endpoint) =>
      make(endpoint.id, endpointRecipe(endpoint, deps)),
    );
    const all = [...builtIn, ...endpointProviders, ...(deps.others ?? [])];
    return new Map(all.map((provider) => [provider.id, provider]));
  };
}

function recipes(deps: ProviderDeps, settings: ProviderSettings): Recipes {
  const { secret, fetch, clock } = deps;
  const options = (id: KeyedId, baseUrl?: string): ProviderOptions => ({
    apiKey: () => secret(providers[id].secret),
    fetch: apiFetch(fetch),
    clock,
    ...(baseUrl && { baseUrl }),
  });
  const {
    anthropicBaseUrl,
    openaiBaseUrl,
    geminiBaseUrl,
    bedrockBaseUrl,
    bedrockRegion: region,
  } = settings;
  return {
    claude: {
      from: anthropicBaseUrl,
      create: () => createAnthropicProvider(options('claude', anthropicBaseUrl)),
    },
    openai: {
      from: openaiBaseUrl,
      create: () => createOpenaiProvider(options('openai', openaiBaseUrl)),
    },
    gemini: {
      from: geminiBaseUrl,
      create: () => createGeminiProvider(options('gemini', geminiBaseUrl)),
    },
    bedrock: {
      from: [bedrockBaseUrl, region],
      create: () =>
        createBedrockProvider({ ...options('bedrock', bedrockBaseUrl), ...(region && { region }) }),
    },
    'claude-cli': claudeCli(settings, deps),
    chatgpt: chatgpt(settings, deps),
    compatible: compatible(settings, { ...options('compatible'), logger: deps.logger }),
    demo: { from: undefined, create: () => createDemoProvider() },
  };
}

/** Id of a provider that is created with an API key. */
type KeyedId = 'claude' | 'openai' | 'gemini' | 'bedrock' | 'compatible';

/**
 * Returns the recipe of the provider `claude-cli`. The `claude` command gets the proxy and the
 * certificates through environment variables.
 */
function claudeCli(
  { claudePath, proxy, caFile }: ProviderSettings,
  { claudeFolder, clock }: ProviderDeps,
): Recipe | undefined {
  if (claudeFolder === undefined) return undefined;
  const create = (): ModelProvider => {
    const env = {
      ...process.env,
      ...(proxy && { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }),
      ...(caFile && { NODE_EXTRA_CA_CERTS: caFile }),
    };
    const options = { folder: claudeFolder, env, clock, ...(claudePath && { claudePath }) };
    return createClaudeCliProvider(options);
  };
  return { from: [claudePath, proxy, caFile], create };
}

function chatgpt(
  { chatgptBaseUrl: baseUrl, chatgptAuthUrl: authUrl }: ProviderSettings,
  deps: ProviderDeps,
): Recipe | undefined {
  const { secret, storeSecret, fetch, clock } = deps;
  if (storeSecret === undefined) return undefined;
  const create = (): ModelProvider => {
    const tokens = new ChatgptTokens({
      authUrl,
      fetch,
      clock,
      store: { read: secret, write: storeSecret },
    });
    return createChatgptProvider({ tokens, fetch, clock, ...(baseUrl && { baseUrl }) });
  };
  return { from: [baseUrl, authUrl], create };
}

function compatible(
  { provider, model, compatibleBaseUrl: baseUrl }: ProviderSettings,
  options: ProviderOptions & { readonly logger: Logger },
): Recipe | undefined {
  if (baseUrl === undefined) return undefined;
  const defaultModel = provider === 'compatible' ? (model ?? 'default') : 'default';
  const create = (): ModelProvider =>
    createCompatibleProvider({ ...options, baseUrl, defaultModel });
  return { from: [baseUrl, defaultModel], create };
}

function endpointRecipe(
  endpoint: EndpointConfig,
  { secret, fetch, clock, logger }: ProviderDeps,
): Recipe {
  const apiKey = () => secret(endpointSecret(endpoint.id));
  return {
    from: endpoint,
    create: () => createEndpoint(endpoint, { apiKey, fetch: apiFetch(fetch), clock, logger }),
  };
}
