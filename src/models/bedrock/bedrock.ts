/** Claude by AWS: the Messages API within Bedrock's InvokeModelWithResponseStream. */
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { readAnthropic } from '../anthropic/anthropicStream.ts';
import { failureOf } from '../failures.ts';
import { CallFailed, withoutSecret, type Attempt } from '../guarded.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest, Readiness } from '../model.ts';
import { messageOf } from '../../base/errors.ts';
import { dependable, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { openReplaying } from '../replay.ts';
import { awsPlaces, findAwsSource, type AwsPlaces } from './awsSources.ts';
import { bedrockClient, type BedrockAuth } from './bedrockClient.ts';
import { bedrockError } from './bedrockFailures.ts';
import { bedrockModels, defaultBedrockFamily, defaultBedrockModel, listBedrock } from './bedrockModels.ts';
import { bedrockRequest } from './bedrockRequest.ts';

export interface BedrockOptions extends ProviderOptions {
  /** Such as `eu-central-1`; unless told, that of the environment. */
  readonly region?: string;
  readonly places?: AwsPlaces;
}

const identity: ProviderIdentity = {
  id: 'bedrock',
  label: 'AWS Bedrock',
  keyHint:
    'Sign in to AWS (aws configure, or aws sso login), or set a Bedrock API key: AWS_BEARER_TOKEN_BEDROCK in the environment, or “Helios: Set API Key” in VS Code. The account needs access to the model in its region.',
};

export function createBedrockProvider(options: BedrockOptions): ModelProvider {
  const { baseUrl, fetch, places = awsPlaces(), clock } = options;
  const { env } = places;
  const region = options.region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1');

  /** `service` is the part of Bedrock, as its address names it. */
  const clientFor = async (service: 'bedrock' | 'bedrock-runtime', attempt: Pick<Attempt, 'secret'>) =>
    bedrockClient(await authOf(options, places, attempt), {
      region,
      baseUrl: baseUrl ?? `https://${service}.${region}.amazonaws.com`,
      fetch,
    });

  async function* raw(request: ModelRequest, signal: AbortSignal, attempt: Attempt): AsyncGenerator<ModelEvent> {
    const client = await clientFor('bedrock-runtime', attempt);
    try {
      const events = await openReplaying(request, (asked) =>
        client.messages.create(bedrockRequest(asked, identity.id), { signal }),
      );
      yield* readAnthropic(named(events, request.model), { provider: identity.id, model: request.model, attempt });
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
        error instanceof CallFailed ? error.failure : failureOf(error, { ...identity, nowMs: clock.now() });
      throw new CallFailed(withoutSecret(failure, attempt.secret));
    }
  }

  async function readiness(): Promise<Readiness> {
    try {
      await authOf(options, places, {});
      return { isReady: true };
    } catch (error) {
      const problem = error instanceof CallFailed ? noCredentials : messageOf(error);
      return { isReady: false, problem, action: identity.keyHint };
    }
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultBedrockModel,
    defaultFamily: defaultBedrockFamily,
    models: () => bedrockModels,
    list,
    readiness,
    stream: dependable(raw, identity, options),
  };
}

/** Fails as `auth`, before any request, when there are no credentials to be found. */
async function authOf(
  options: BedrockOptions,
  places: AwsPlaces,
  attempt: Pick<Attempt, 'secret'>,
): Promise<BedrockAuth> {
  const apiKey = (await options.apiKey())?.trim();
  if (apiKey) {
    attempt.secret = apiKey;
    return { apiKey };
  }
  const source = await findAwsSource(places);
  if (source === undefined) throw new CallFailed({ reason: 'auth', message: `${noCredentials} ${identity.keyHint}` });
  return source;
}

/** The service tells of the model by Anthropic's name; what it costs and who thought hangs on AWS's own. */
async function* named(
  events: AsyncIterable<RawMessageStreamEvent>,
  model: string,
): AsyncGenerator<RawMessageStreamEvent> {
  for await (const event of events)
    yield event.type === 'message_start' ? { ...event, message: { ...event.message, model } } : event;
}

const noCredentials = 'There are no credentials for AWS Bedrock.';
