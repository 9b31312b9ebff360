/**
 * Provider for Claude models through AWS Bedrock, which offers the Messages API inside its own
 * operation `InvokeModelWithResponseStream`.
 */
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { readAnthropic } from '../anthropic/anthropicStream.ts';
import { failureOf } from '../failures.ts';
import { CallFailed, withoutSecret, type Attempt } from '../guarded.ts';
import type {
  ModelDescription,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  Readiness,
} from '../model.ts';
import { messageOf } from '../../base/errors.ts';
import { dependable, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { providers } from '../providerList.ts';
import { openReplaying } from '../replay.ts';
import { awsPlaces, findAwsSource, type AwsPlaces } from './awsSources.ts';
import { bedrockClient, type BedrockAuth } from './bedrockClient.ts';
import { bedrockError } from './bedrockFailures.ts';
import {
  bedrockModels,
  defaultBedrockFamily,
  defaultBedrockModel,
  listBedrock,
} from './bedrockModels.ts';
import { bedrockRequest } from './bedrockRequest.ts';

export interface BedrockOptions extends ProviderOptions {
  /** Region, for example `eu-central-1`. Default: the region set in the environment. */
  readonly region?: string;
  readonly places?: AwsPlaces;
}

const identity: ProviderIdentity = {
  id: 'bedrock',
  label: providers.bedrock.label,
  keyHint:
    'Sign in to AWS (aws configure, or aws sso login), or set a Bedrock API key: AWS_BEARER_TOKEN_BEDROCK in the environment, or “Helios: Set API Key” in VS Code. The account needs access to the model in its region.',
};

export function createBedrockProvider(options: BedrockOptions): ModelProvider {
  const { baseUrl, fetch, places = awsPlaces(), clock } = options;
  const region = options.region ?? regionOf(places);

  /**
   * Returns a client for a service of Bedrock; `service` is part of the address. Fails without a
   * request if there is no valid region or no credentials.
   */
  async function clientFor(
    service: 'bedrock' | 'bedrock-runtime',
    attempt: Pick<Attempt, 'secret'>,
  ) {
    if (!isRegion(region))
      throw new CallFailed({ reason: 'invalid', message: wrongRegion(region) });
    const auth = await authOf(options, places);
    if (auth === undefined)
      throw new CallFailed({ reason: 'auth', message: `${noCredentials} ${identity.keyHint}` });
    if ('apiKey' in auth) attempt.secret = auth.apiKey;
    return bedrockClient(auth, {
      region,
      baseUrl: baseUrl ?? `https://${service}.${region}.amazonaws.com`,
      fetch,
    });
  }

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const client = await clientFor('bedrock-runtime', attempt);
    try {
      const events = await openReplaying(request, (toSend) =>
        client.messages.create(bedrockRequest(toSend, identity.id), { signal }),
      );
      const place = { provider: identity.id, model: request.model, attempt };
      yield* readAnthropic(named(events, request.model), place);
    } catch (error) {
      throw bedrockError(error, identity.keyHint);
    }
  }

  async function list(signal: AbortSignal): Promise<readonly ModelDescription[]> {
    const attempt: Pick<Attempt, 'secret'> = {};
    try {
      return await listBedrock(await clientFor('bedrock', attempt), signal);
    } catch (thrown) {
      const error = bedrockError(thrown, identity.keyHint);
      const failure =
        error instanceof CallFailed
          ? error.failure
          : failureOf(error, { ...identity, nowMs: clock.now() });
      throw new CallFailed(withoutSecret(failure, attempt.secret));
    }
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultBedrockModel,
    defaultFamily: defaultBedrockFamily,
    models: () => bedrockModels,
    list,
    readiness: () => readinessOf(region, () => authOf(options, places)),
    stream: dependable(raw, identity, options),
  };
}

async function readinessOf(region: string, auth: () => Promise<unknown>): Promise<Readiness> {
  const notReady = (problem: string): Readiness => ({
    isReady: false,
    problem,
    action: identity.keyHint,
  });
  if (!isRegion(region)) return notReady(wrongRegion(region));
  try {
    return (await auth()) === undefined ? notReady(noCredentials) : { isReady: true };
  } catch (error) {
    return notReady(messageOf(error));
  }
}

const regionOf = ({ env }: AwsPlaces): string =>
  env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';

/**
 * Returns whether the region is valid. The region becomes part of the host name that the key is
 * sent to, so other characters could change the host.
 */
const isRegion = (region: string): boolean => /^[a-z0-9-]+$/.test(region);
const wrongRegion = (region: string): string =>
  `“${region}” is not an AWS region. Example: eu-central-1.`;

/** Returns the API key or the source of AWS credentials; `undefined` if there is neither. */
async function authOf(
  { apiKey }: BedrockOptions,
  places: AwsPlaces,
): Promise<BedrockAuth | undefined> {
  const key = (await apiKey())?.trim();
  return key ? { apiKey: key } : findAwsSource(places);
}

/**
 * Replaces the model's name in the events by the requested id. The service reports Anthropic's
 * name, but prices and thinking are stored by the id of AWS.
 */
async function* named(
  events: AsyncIterable<RawMessageStreamEvent>,
  model: string,
): AsyncGenerator<RawMessageStreamEvent> {
  for await (const event of events)
    yield event.type === 'message_start'
      ? { ...event, message: { ...event.message, model } }
      : event;
}

const noCredentials = 'There are no credentials for AWS Bedrock.';
