import type OpenAI from 'openai';
import { silentLogger } from '../../base/logger.ts';

export interface ClientOptions {
  /** Fetches with the configured proxies and certificates. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Loads the SDK on the first call. Sets all options that the SDK would read from the environment,
 * so that the key, organisation or address of another account is never used by accident.
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
