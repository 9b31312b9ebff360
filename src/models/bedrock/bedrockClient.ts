import type { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { silentLogger } from '../../base/logger.ts';
import type { AwsSource } from './awsSources.ts';

export interface BedrockAddress {
  readonly region: string;
  readonly baseUrl: string;
  /** Fetches with the configured proxies and certificates. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A Bedrock API key, or the source of AWS credentials. */
export type BedrockAuth = { readonly apiKey: string } | AwsSource;

/**
 * Returns a client; loads the SDK on the first call. Sets all options that the SDK would otherwise
 * read from the environment, except the credential chain of AWS.
 */
export async function bedrockClient(
  auth: BedrockAuth,
  { region, baseUrl, fetch }: BedrockAddress,
): Promise<AnthropicBedrock> {
  const { AnthropicBedrock: Client } = await import('@anthropic-ai/bedrock-sdk');
  const options = {
    awsRegion: region,
    baseURL: baseUrl,
    apiKey: 'apiKey' in auth ? auth.apiKey : null,
    webhookKey: null,
    maxRetries: 0,
    logger: silentLogger,
    logLevel: 'off',
    // Models up to Claude 4.6 refuse the API version that the SDK sends by default.
    defaultHeaders: { 'anthropic-version': 'bedrock-2023-05-31' },
    ...(fetch && { fetch }),
  } as const;
  if ('apiKey' in auth || auth.kind === 'chain') return new Client(options);
  const { accessKey, secretKey, sessionToken = null } = auth;
  return new Client({
    ...options,
    awsAccessKey: accessKey,
    awsSecretKey: secretKey,
    awsSessionToken: sessionToken,
  });
}
