/** Settings for reaching models: addresses, endpoints and the network. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { endpointSchema } from '../../models/endpoints.ts';
import { address, flag, structure, text, type Setting, type Traits } from './setting.ts';

type Field = NonNullable<Traits['engine']>;

/**
 * Declares the setting for the address of a service. The environment variable `variable` is used
 * while the setting is empty.
 */
const baseUrl = (engine: Field, variable: string, description: string): Setting<string> =>
  text({ description, scope: 'machine', engine, variable });

/**
 * Returns the last sentence of a description, which says what applies while the setting is empty.
 */
const orElse = (variable: string, otherwise: string): string =>
  `When empty, \`${variable}\` of the environment is used if it is set, otherwise ${otherwise}.`;

const hostPattern = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/i;
const isHost = (value: unknown): boolean => typeof value === 'string' && hostPattern.test(value);

const ownAddress = "the provider's own address";

const addresses = {
  'providers.anthropicBaseUrl': baseUrl(
    'anthropicBaseUrl',
    'ANTHROPIC_BASE_URL',
    `Base URL of the Anthropic API. ${orElse('ANTHROPIC_BASE_URL', ownAddress)}`,
  ),
  'providers.openaiBaseUrl': baseUrl(
    'openaiBaseUrl',
    'OPENAI_BASE_URL',
    `Base URL of the OpenAI API. ${orElse('OPENAI_BASE_URL', ownAddress)}`,
  ),
  'providers.geminiBaseUrl': baseUrl(
    'geminiBaseUrl',
    'GOOGLE_GEMINI_BASE_URL',
    `Base URL of the Gemini API, without its version. ${orElse('GOOGLE_GEMINI_BASE_URL', ownAddress)}`,
  ),
  'providers.bedrockBaseUrl': baseUrl(
    'bedrockBaseUrl',
    'ANTHROPIC_BEDROCK_BASE_URL',
    `Base URL of the Bedrock runtime. ${orElse('ANTHROPIC_BEDROCK_BASE_URL', 'the address of the region')}`,
  ),
  'providers.bedrockRegion': text({
    description: `AWS region of Bedrock, such as \`eu-central-1\`. ${orElse('AWS_REGION', '`us-east-1`')}`,
    scope: 'machine',
    engine: 'bedrockRegion',
    variable: 'AWS_REGION',
  }),
  'providers.chatgptBaseUrl': baseUrl(
    'chatgptBaseUrl',
    'CHATGPT_BASE_URL',
    `Base URL of the service behind a ChatGPT subscription. ${orElse('CHATGPT_BASE_URL', '`https://chatgpt.com/backend-api/codex`')}`,
  ),
  'providers.chatgptAuthUrl': baseUrl(
    'chatgptAuthUrl',
    'CHATGPT_AUTH_URL',
    `Base URL of the sign-in to ChatGPT. ${orElse('CHATGPT_AUTH_URL', '`https://auth.openai.com`')}`,
  ),
} satisfies Readonly<Record<string, Setting>>;

export const providerSettings = {
  endpoints: structure<NonNullable<EngineSettings['endpoints']>>({
    default: [],
    description:
      'OpenAI-compatible endpoints of your own (vLLM, Ollama, llama.cpp, LM Studio, OpenRouter, …). Each is a provider with its `id` as name. Do not write API keys here; use [Set API Key](command:helios.setApiKey).',
    schema: z.array(
      endpointSchema.meta({
        defaultSnippets: [
          { body: { id: '${1:ollama}', baseUrl: '${2:http://127.0.0.1:11434/v1}' } },
        ],
      }),
    ),
    scope: 'machine',
    engine: 'endpoints',
    isPreference: true,
  }),
  'providers.compatibleBaseUrl': text({
    description:
      'Base URL of an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. Required by the provider `compatible`.',
    scope: 'machine',
    engine: 'compatibleBaseUrl',
  }),
  'providers.claudePath': text({
    description:
      'Path of the `claude` command, for the provider `claude-cli`. When empty, the `PATH` is searched.',
    scope: 'machine',
    engine: 'claudePath',
    isPreference: true,
  }),
  ...addresses,
} satisfies Readonly<Record<string, Setting>>;

export const networkSettings = {
  'network.proxy': text({
    description:
      'Proxy for requests to models and to the web, such as `http://proxy.example.org:3128` or `socks5://127.0.0.1:1080`. When empty, VS Code uses its own proxy (`#http.proxy#`), and the `helios` command uses the first of the environment variables `HTTPS_PROXY`, `ALL_PROXY` and `HTTP_PROXY` that is set. Requests to this computer bypass the proxy.',
    scope: 'machine',
    engine: 'proxy',
    isPreference: true,
  }),
  'network.caFile': text({
    description:
      'Absolute path of a PEM file with certificates to trust in addition to those of the system, for networks that inspect TLS connections.',
    scope: 'machine',
    engine: 'caFile',
    isPreference: true,
  }),
  'web.searxngUrl': address({
    description:
      'URL of a SearXNG instance for web searches, such as `http://localhost:8888`. Its JSON output must be enabled. When empty, the search of the model provider is used, or DuckDuckGo if the provider has none.',
    scope: 'machine',
    engine: 'web.searxngUrl',
    isPreference: true,
  }),
  'web.allowPrivateAddresses': flag(false, {
    description:
      'Allow the agent to fetch addresses of private networks and of this computer. A web page that the agent reads could then make the agent send requests to services that trust everybody inside the network.',
    scope: 'machine',
    engine: 'web.allowsPrivateAddresses',
    isPreference: true,
  }),
  'web.allowedHosts': {
    ...structure<readonly string[]>({
      default: [],
      none: [],
      description:
        'Hosts from which the agent may fetch any page without asking, in every permission mode: `arxiv.org`, or `*.arxiv.org` for the hosts below it. Without an entry, a URL that the agent composed after it had read text of others needs an approval.',
      schema: z.array(z.string().regex(hostPattern)),
      written: z.array(z.string().regex(hostPattern)),
      scope: 'application',
      engine: 'web.allowedHosts',
      isPreference: true,
    }),
    // Omit texts that are not valid hosts, so that they allow nothing.
    toEngine: (hosts) => z.array(z.unknown()).catch([]).parse(hosts).filter(isHost),
  },
} satisfies Readonly<Record<string, Setting>>;
