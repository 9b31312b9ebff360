/** All providers, from settings. */
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { createAnthropicProvider } from './anthropic/anthropic.ts';
import { createBedrockProvider } from './bedrock/bedrock.ts';
import { createChatgptProvider } from './chatgpt/chatgptProvider.ts';
import { ChatgptTokens } from './chatgpt/tokens.ts';
import { createClaudeCliProvider } from './claudeCli/claudeCli.ts';
import { createCompatibleProvider } from './compatible/openaiChat.ts';
import { createDemoProvider } from './demo.ts';
import {
  checkEndpoints,
  createEndpoint,
  endpointSecret,
  type EndpointConfig,
} from './endpoints.ts';
import { createGeminiProvider } from './gemini/gemini.ts';
import type { ModelProvider } from './model.ts';
import { createOpenaiProvider } from './openai/openaiResponses.ts';
import type { ProviderOptions } from './provider.ts';
import { providers, type ProviderName } from './providerList.ts';

/** What providers are made from; read anew at each use. */
export interface ProviderSettings {
  /** The id of the provider that sessions have unless told, such as `claude` or `demo`. */
  readonly provider: string;
  readonly model?: string;
  readonly anthropicBaseUrl?: string;
  readonly openaiBaseUrl?: string;
  readonly compatibleBaseUrl?: string;
  readonly geminiBaseUrl?: string;
  readonly bedrockBaseUrl?: string;
  readonly bedrockRegion?: string;
  /** Of the ChatGPT back end, and of its sign-in. */
  readonly chatgptBaseUrl?: string;
  readonly chatgptAuthUrl?: string;
  /** The user's own `claude`; looked for on PATH unless told. */
  readonly claudePath?: string;
  /**
   * For every call to a model and to the web: `http://host:port`. Without it the way of the host is
   * taken.
   */
  readonly proxy?: string;
  /** A PEM file of certificates to trust beside those of Node. */
  readonly caFile?: string;
  /** Of the user's own; checked here. */
  readonly endpoints?: unknown;
}

export interface ProviderDeps {
  settings(): ProviderSettings;
  secret(name: string): Promise<string | undefined>;
  /** Absent: nothing can be kept, and there is no sign-in. */
  readonly storeSecret?: ((name: string, value: string | undefined) => Promise<void>) | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Where a `claude` is at home while it works for us. Absent: none is offered. */
  readonly claudeFolder?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Used in place of the built-in provider of the same id. */
  readonly others?: readonly ModelProvider[];
}

/**
 * How a provider is made. It is made again only when `from` has changed: what it keeps of
 * conversations lasts.
 */
interface Recipe {
  readonly from: unknown;
  create(): ModelProvider;
}

/** Undefined for a provider that cannot be used here. */
type Recipes = Readonly<Record<ProviderName, Recipe | undefined>>;

/** The providers as the settings are now, by id. */
export function createProviders(deps: ProviderDeps): () => ReadonlyMap<string, ModelProvider> {
  const made = new Map<string, { readonly key: string; readonly provider: ModelProvider }>();
  const make = (id: string, { from, create }: Recipe): ModelProvider => {
    const key = JSON.stringify(from) ?? '';
    const before = made.get(id);
    const now = before?.key === key ? before : { key, provider: create() };
    made.set(id, now);
    return now.provider;
  };
  const told = new Set<string>();
  return () => {
    const settings = deps.settings();
    const { endpoints, problems } = checkEndpoints(settings.endpoints);
    for (const problem of problems.filter((each) => !told.has(each))) deps.logger.warn(problem);
    for (const problem of problems) told.add(problem);
    const builtIn = Object.entries(recipes(deps, settings)).flatMap(([id, recipe]) =>
      recipe ? [make(id, recipe)] : [],
    );
    const own = endpoints.map((endpoint) => make(endpoint.id, endpointRecipe(endpoint, deps)));
    const all = [...builtIn, ...own, ...(deps.others ?? [])];
    return new Map(all.map((provider) => [provider.id, provider]));
  };
}

function recipes(deps: ProviderDeps, settings: ProviderSettings): Recipes {
  const { secret, fetch, clock } = deps;
  const options = (id: KeyedId, baseUrl?: string): ProviderOptions => ({
    apiKey: () => secret(providers[id].secret),
    fetch,
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

/** A provider that is made with an API key. */
type KeyedId = 'claude' | 'openai' | 'gemini' | 'bedrock' | 'compatible';

/** The way to the network is told to `claude` as to any program, by its environment. */
function claudeCli(
  { claudePath, proxy, caFile }: ProviderSettings,
  { claudeFolder, clock }: ProviderDeps,
): Recipe | undefined {
  if (claudeFolder === undefined) return undefined;
  const env = {
    ...process.env,
    ...(proxy && { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }),
    ...(caFile && { NODE_EXTRA_CA_CERTS: caFile }),
  };
  const options = { folder: claudeFolder, env, clock, ...(claudePath && { claudePath }) };
  return { from: [claudePath, proxy, caFile], create: () => createClaudeCliProvider(options) };
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
    create: () => createEndpoint(endpoint, { apiKey, fetch, clock, logger }),
  };
}
