import type { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { silentLogger } from '../../base/logger.ts';
import type { AwsSource } from './awsSources.ts';

export interface BedrockAddress {
  readonly region: string;
  readonly baseUrl: string;
  /** The way to the network; the global one unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A key of Bedrock's own, or what requests are signed with. */
export type BedrockAuth = { readonly apiKey: string } | AwsSource;

/**
 * Loads the SDK on the first call. What it would read from the environment is set here, but for the
 * chain of AWS.
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
    // The SDK's own is of a version that the models until Claude 4.6 refuse there.
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
