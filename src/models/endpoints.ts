/** The settings of the user's own endpoints. */
import * as z from 'zod';
import { providers } from './providerList.ts';

const keyHeaders =
  /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/i;

const baseUrl = z
  .string()
  .superRefine((text, context) => {
    const problem = problemOfUrl(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ pattern: '^https?://', description: 'Base URL of the API; most end in /v1.' });

const tokens = z.int().positive();

/** Schema of an entry of the endpoints setting. */
export const endpointSchema = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,39}$/,
      'an id must be lowercase letters, digits and hyphens, such as "lab-vllm"',
    )
    .refine((id) => !Object.hasOwn(providers, id), 'the id is already used by a built-in provider')
    .describe('Name of the provider: lowercase letters, digits and hyphens.'),
  label: z.string().min(1).exactOptional().describe('Display name. Default: the id.'),
  baseUrl,
  defaultModel: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Model for sessions that do not choose one. Default: the first model that the endpoint lists.',
    ),
  contextTokens: tokens
    .exactOptional()
    .describe(
      'Context size of the models in tokens, if the endpoint does not report it. For Ollama, it must not exceed the size that the server uses (num_ctx, OLLAMA_CONTEXT_LENGTH), because the server truncates longer prompts without an error.',
    ),
  maxOutputTokens: tokens
    .exactOptional()
    .describe('Maximum number of tokens per reply, if the endpoint does not report it.'),
  toolCalls: z
    .enum(['native', 'text'])
    .exactOptional()
    .describe(
      'How the models call tools. Default: as the endpoint reports; text after the endpoint has refused native tool calls.',
    )
    .meta({
      enumDescriptions: ['Native tool calls of the API.', 'Tool calls in the text of the reply.'],
    }),
  acceptsImages: z.boolean().exactOptional().describe('Whether the models accept images.'),
  sendsEffort: z
    .boolean()
    .exactOptional()
    .describe('Send the reasoning effort as `reasoning_effort`, which some servers refuse.'),
  temperature: z
    .number('a temperature must be a number from 0 to 2, such as 0.6')
    .min(0, 'a temperature must be at least 0')
    .max(2, 'a temperature must be at most 2')
    .exactOptional()
    .describe(
      'Temperature of every request, from 0 to 2. Default: none is sent, so the server uses its own.',
    ),
  headers: z
    .record(z.string(), z.string().regex(/^[\t\x20-\x7e]*$/, 'a value must be printable ASCII'))
    .superRefine((headers, context) => {
      for (const name of Object.keys(headers)) {
        const message = problemOfHeader(name);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .exactOptional()
    .describe(
      'Headers sent with every request. Headers for keys, such as Authorization, are not allowed.',
    ),
});

export type EndpointConfig = z.output<typeof endpointSchema>;

export interface CheckedEndpoints {
  readonly endpoints: readonly EndpointConfig[];
  /** Sentences that state why invalid entries were omitted. */
  readonly problems: readonly string[];
}

/**
 * Validates entries such as `{ "id": "lab-vllm", "baseUrl": "http://gpu1:8000/v1" }`. Invalid
 * entries are omitted and reported in `problems`.
 */
export function checkEndpoints(setting: unknown): CheckedEndpoints {
  if (setting === undefined) return { endpoints: [], problems: [] };
  if (!Array.isArray(setting))
    return { endpoints: [], problems: [`The endpoints setting must be a list. ${example}`] };
  const endpoints = new Map<string, EndpointConfig>();
  const problems: string[] = [];
  for (const [index, each] of (setting as unknown[]).entries()) {
    const parsed = endpointSchema.safeParse(each);
    if (!parsed.success)
      problems.push(
        `Endpoint ${index + 1} is ignored:\n${z.prettifyError(parsed.error)}\n${example}`,
      );
    else if (endpoints.has(parsed.data.id))
      problems.push(`Endpoint ${index + 1} is ignored: the id ${parsed.data.id} is already used.`);
    else endpoints.set(parsed.data.id, parsed.data);
  }
  return { endpoints: [...endpoints.values()], problems };
}

const example = 'Example: { "id": "lab-vllm", "baseUrl": "http://gpu1:8000/v1" }.';

function problemOfHeader(name: string): string | undefined {
  if (keyHeaders.test(name)) return 'a key is not allowed here: set it as a secret';
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? undefined : 'not a valid header name';
}

function problemOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return 'not a valid URL; example: http://127.0.0.1:11434/v1';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return 'the URL must begin with http:// or https://';
  if (username !== '' || password !== '')
    return 'the URL must not contain a user name or password: set the key instead';
  return search === '' && hash === '' ? undefined : 'the URL must not contain ? or #';
}

/**
 * Returns the name of the environment variable with the key of an endpoint, such as
 * `HELIOS_KEY_LAB_VLLM`.
 */
export const endpointVariable = (id: string): string =>
  `HELIOS_KEY_${id.toUpperCase().replaceAll('-', '_')}`;

/** Returns the name under which the engine stores the key of an endpoint. */
export const endpointSecret = (id: string): string => `endpoint-${id}`;
