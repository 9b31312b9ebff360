/** Provider for Claude models through the Messages API of Anthropic. */
import type { Attempt } from '../guarded.ts';
import { anthropicRequest } from './anthropicRequest.ts';
import { searchAnthropic } from './anthropicSearch.ts';
import { readAnthropic } from './anthropicStream.ts';
import { claudeModels, defaultClaudeFamily, defaultClaudeModel } from '../catalogue.ts';
import { keyReadiness, listing } from '../listing.ts';
import { claudeDescription } from './anthropicModels.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { dependable, requiredKey, type ProviderOptions } from '../provider.ts';
import { keyedIdentity } from '../providerList.ts';
import { openReplaying } from '../replay.ts';
import { searching, type RawSearch } from '../searching.ts';
import { silentLogger } from '../../base/logger.ts';

const identity = keyedIdentity('claude');

/** Models per page of the list: the maximum that the service allows. */
const pageSize = 1000;

export function createAnthropicProvider(options: ProviderOptions): ModelProvider {
  async function clientFor(apiKey: string) {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    return new Anthropic({
      apiKey,
      baseURL: options.baseUrl ?? 'https://api.anthropic.com',
      maxRetries: 0,
      webhookKey: null,
      ...(options.fetch && { fetch: options.fetch }),
      logger: silentLogger,
      logLevel: 'off',
    });
  }

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const client = await clientFor(await requiredKey(options, identity, attempt));
    const events = await openReplaying(request, (toSend) =>
      client.messages.create(anthropicRequest(toSend, identity.id), { signal }),
    );
    yield* readAnthropic(events, { provider: identity.id, model: request.model, attempt });
  }

  const search: RawSearch = (query, found) =>
    async function* ({ model }, signal, attempt) {
      const client = await clientFor(await requiredKey(options, identity, attempt));
      yield* searchAnthropic(client, { model, query, found, signal, attempt });
    };

  async function list(key: string, signal: AbortSignal): Promise<ModelDescription[]> {
    const client = await clientFor(key);
    const models: ModelDescription[] = [];
    for await (const info of client.models.list({ limit: pageSize }, { signal }))
      models.push(claudeDescription(info));
    return models;
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultClaudeModel,
    defaultFamily: defaultClaudeFamily,
    models: () => claudeModels,
    list: listing(list, identity, options),
    readiness: keyReadiness(identity, options),
    stream: dependable(raw, identity, options),
    search: searching(search, identity, options),
  };
}
