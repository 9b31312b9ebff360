import type OpenAI from 'openai';
import { silentLogger } from '../../base/logger.ts';

/**
 * Loads the SDK on the first call. What it would read from the environment is set here, so that no key, organisation or
 * address of another account is ever sent to an endpoint that was not meant.
 */
export async function openaiClient(apiKey: string, baseURL: string): Promise<OpenAI> {
  const { OpenAI: Client } = await import('openai');
  return new Client({
    apiKey,
    baseURL,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    logger: silentLogger,
    logLevel: 'off',
  });
}
