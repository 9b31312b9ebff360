/** Settings for reaching models and the web: endpoints, addresses, the network and prices. */
import * as z from 'zod';
import type { EngineSettings } from '../../agent/contract/settings.ts';
import { endpointSchema } from '../../models/endpoints.ts';
import { priceSchema } from '../../models/prices.ts';
import { address, structure, text, type Setting, type Traits } from './setting.ts';

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
  `When empty, \`${variable}\` of the environment, otherwise ${otherwise}.`;

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

export const advancedSettings = {
  endpoints: structure<NonNullable<EngineSettings['endpoints']>>({
    default: [],
    description:
      'OpenAI-compatible endpoints of your own, each with its `id` as name of the provider. Set keys with [Set API Key](command:helios.setApiKey), not here.',
    details: 'Examples of endpoints are vLLM, Ollama, llama.cpp, LM Studio and OpenRouter.',
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
  prices: structure<Readonly<Record<string, unknown>>>({
    default: {},
    description:
      'Model prices in US dollars per million tokens, in addition to the built-in table. A model without a price has an unknown cost; it is never counted as free.',
    details:
      'For example:\n\n```json\n"helios.prices": { "openai/my-model": { "input": 1.25, "output": 10, "cacheRead": 0.125 } }\n```',
    schema: priceSchema,
    scope: 'application',
    engine: 'prices',
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
  'network.proxy': text({
    description:
      'Proxy for requests to models and to the web, such as `http://proxy.example.org:3128`. When empty, the proxy of VS Code (`#http.proxy#`) is used.',
    details:
      'SOCKS proxies such as `socks5://127.0.0.1:1080` work, too. When empty, the `helios` command uses the first of the environment variables `HTTPS_PROXY`, `ALL_PROXY` and `HTTP_PROXY` that is set. Requests to this computer bypass the proxy.',
    scope: 'machine',
    engine: 'proxy',
    isPreference: true,
  }),
  'network.caFile': text({
    description:
      'Absolute path of a PEM file with certificates to trust beside those of the system, for networks that inspect TLS connections.',
    scope: 'machine',
    engine: 'caFile',
    isPreference: true,
  }),
  'web.searxngUrl': address({
    description:
      'URL of a SearXNG instance for web searches, such as `http://localhost:8888`. When empty, the search of the model provider is used.',
    details:
      'The JSON output of the instance must be enabled. When the URL is empty and the provider has no search, DuckDuckGo is used.',
    scope: 'machine',
    engine: 'web.searxngUrl',
    isPreference: true,
  }),
} satisfies Readonly<Record<string, Setting>>;
