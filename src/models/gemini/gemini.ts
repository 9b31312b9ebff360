/** Google's models, over the Gemini API. */
import { failureOf } from '../failures.ts';
import { CallFailed, withoutSecret, type Attempt } from '../guarded.ts';
import { keyReadiness, listing } from '../listing.ts';
import {
  noUsage,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
  type SearchReply,
  type SearchRequest,
} from '../model.ts';
import { dependable, requiredKey, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { openReplaying } from '../replay.ts';
import { geminiClient } from './geminiClient.ts';
import { streamError } from './geminiFailures.ts';
import { defaultGeminiFamily, defaultGeminiModel, geminiModels, listGemini } from './geminiModels.ts';
import { geminiRequest } from './geminiRequest.ts';
import { searchGemini } from './geminiSearch.ts';
import { readGemini } from './geminiStream.ts';

const identity: ProviderIdentity = {
  id: 'gemini',
  label: 'Google Gemini',
  keyHint: 'Set GEMINI_API_KEY in the environment, or run “Helios: Set API Key” in VS Code.',
};

export function createGeminiProvider(options: ProviderOptions): ModelProvider {
  const { baseUrl = 'https://generativelanguage.googleapis.com', fetch, clock } = options;
  const clientFor = (key: string) => geminiClient(key, { baseUrl, fetch });

  async function* raw(request: ModelRequest, signal: AbortSignal, attempt: Attempt): AsyncGenerator<ModelEvent> {
    const client = await clientFor(await requiredKey(options, identity, attempt));
    const open = (asked: ModelRequest) =>
      client.models.generateContentStream(geminiRequest(asked, identity.id, signal));
    try {
      yield* readGemini(await openReplaying(request, open), { provider: identity.id, model: request.model, attempt });
    } catch (error) {
      throw streamError(error);
    }
  }

  async function search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply> {
    const attempt: Attempt = { model: request.model, usage: noUsage };
    try {
      const client = await clientFor(await requiredKey(options, identity, attempt));
      return await searchGemini(client, request, { signal, ...(fetch && { fetch }) });
    } catch (error) {
      const failure =
        error instanceof CallFailed ? error.failure : failureOf(error, { ...identity, nowMs: clock.now() });
      const { model, usage } = attempt;
      return { text: '', sources: [], model, usage, failure: withoutSecret(failure, attempt.secret) };
    }
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultGeminiModel,
    defaultFamily: defaultGeminiFamily,
    models: () => geminiModels,
    list: listing(async (key, signal) => listGemini(await clientFor(key), signal), identity, options),
    readiness: keyReadiness(identity, options),
    stream: dependable(raw, identity, options),
    search,
  };
}
