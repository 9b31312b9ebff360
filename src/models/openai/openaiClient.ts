import type OpenAI from 'openai';
import { silentLogger } from '../../base/logger.ts';

export interface ClientOptions {
  /** The way to the network; the global one unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Loads the SDK on the first call. What it would read from the environment is set here, so that no
 * key, organisation or address of another account is ever sent to an endpoint that was not meant.
 */
export async function openaiClient(
  apiKey: string,
  baseURL: string,
  { fetch, headers }: ClientOptions = {},
): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    apiKey,
    baseURL,
    ...(fetch && { fetch }),
    ...(headers && { defaultHeaders: headers }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logger: silentLogger,
    logLevel: 'off',
  });
}
