/**
 * Provider for OpenAI's own models through the Responses API. OpenAI stores nothing: each request
 * contains the whole conversation.
 */
import type OpenAI from 'openai';
import { defaultOpenaiFamily, defaultOpenaiModel, openaiModels } from '../catalogue.ts';
import type { Attempt } from '../guarded.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { keyReadiness, listing } from '../listing.ts';
import { openaiClient } from './openaiClient.ts';
import { openaiDescriptions } from './openaiModels.ts';
import { responsesRequest } from './openaiResponsesRequest.ts';
import { readResponses } from './openaiResponsesStream.ts';
import { responsesSearch } from './openaiSearch.ts';
import { dependable, requiredKey, type ProviderOptions } from '../provider.ts';
import { keyedIdentity } from '../providerList.ts';
import { openReplaying } from '../replay.ts';

const identity = keyedIdentity('openai');

export function createOpenaiProvider(options: ProviderOptions): ModelProvider {
  const { baseUrl = 'https://api.openai.com/v1', fetch } = options;

  /**
   * Whether to request summaries of the reasoning. False after the first refusal, since unverified
   * organisations get no summaries.
   */
  let hasSummaries = true;

  async function open(client: OpenAI, request: ModelRequest, signal: AbortSignal) {
    const create = () => {
      const body = responsesRequest(request, identity.id, { hasSummaries });
      return client.responses.create(body, { signal });
    };
    try {
      return await create();
    } catch (error) {
      if (!hasSummaries || !refusesSummaries(error)) throw error;
      hasSummaries = false;
      return await create();
    }
  }

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const client = await openaiClient(await requiredKey(options, identity, attempt), baseUrl, {
      fetch,
    });
    const events = await openReplaying(request, (toSend) => open(client, toSend, signal));
    yield* readResponses(events, { provider: identity.id, model: request.model, attempt });
  }

  async function list(key: string, signal: AbortSignal): Promise<ModelDescription[]> {
    const client = await openaiClient(key, baseUrl, { fetch });
    return openaiDescriptions((await client.models.list({ signal })).data);
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultOpenaiModel,
    defaultFamily: defaultOpenaiFamily,
    models: () => openaiModels,
    list: listing(list, identity, options),
    readiness: keyReadiness(identity, options),
    stream: dependable(raw, identity, options),
    search: responsesSearch({
      identity,
      options,
      asksForAllSources: true,
      async open(body, signal, attempt) {
        const client = await openaiClient(await requiredKey(options, identity, attempt), baseUrl, {
          fetch,
        });
        return client.responses.create(body, { signal });
      },
    }),
  };
}

const refusesSummaries = (error: unknown): boolean =>
  error instanceof Error && 'param' in error && error.param === 'reasoning.summary';
