/** Provider for Google's models through the Gemini API. */
import type { Attempt } from '../guarded.ts';
import { keyReadiness, listing } from '../listing.ts';
import type { ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { dependable, requiredKey, type ProviderOptions } from '../provider.ts';
import { keyedIdentity } from '../providerList.ts';
import { openReplaying } from '../replay.ts';
import { searching, type RawSearch } from '../searching.ts';
import { geminiClient } from './geminiClient.ts';
import { readable } from './geminiFailures.ts';
import {
  defaultGeminiFamily,
  defaultGeminiModel,
  geminiModels,
  listGemini,
} from './geminiModels.ts';
import { geminiRequest } from './geminiRequest.ts';
import { findingSources, searchRequest } from './geminiSearch.ts';
import { readGemini } from './geminiStream.ts';

const identity = keyedIdentity('gemini');

export function createGeminiProvider(options: ProviderOptions): ModelProvider {
  const { baseUrl = 'https://generativelanguage.googleapis.com', fetch } = options;
  const clientFor = (key: string) => geminiClient(key, { baseUrl, fetch });

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const client = await clientFor(await requiredKey(options, identity, attempt));
    const chunks = await openReplaying(request, (toSend) =>
      client.models.generateContentStream(geminiRequest(toSend, identity.id, signal)),
    );
    yield* readGemini(readable(chunks), { provider: identity.id, model: request.model, attempt });
  }

  const search: RawSearch = (query, found) =>
    async function* ({ model }, signal, attempt) {
      const client = await clientFor(await requiredKey(options, identity, attempt));
      const chunks = await client.models.generateContentStream(searchRequest(model, query, signal));
      const finding = findingSources(readable(chunks), { found, fetch, signal });
      yield* readGemini(finding, { provider: identity.id, model, attempt });
    };

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultGeminiModel,
    defaultFamily: defaultGeminiFamily,
    models: () => geminiModels,
    list: listing(
      async (key, signal) => listGemini(await clientFor(key), signal),
      identity,
      options,
    ),
    readiness: keyReadiness(identity, options),
    stream: dependable(raw, identity, options),
    search: searching(search, identity, options),
  };
}
