/** Any endpoint that speaks Chat Completions: vLLM, Ollama, llama.cpp, LM Studio, OpenRouter and many more. */
import type { Attempt } from '../guarded.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { chatRequest } from './openaiChatRequest.ts';
import { readChat } from './openaiChatStream.ts';
import { openaiClient } from '../openai/openaiClient.ts';
import { dependable, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { openReplaying } from '../replay.ts';

export interface CompatibleProviderOptions extends ProviderOptions {
  /** Such as `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Asked for when a session names no model. */
  readonly defaultModel: string;
  /** Models of the endpoint, where they are known; the default model is listed in any case. */
  readonly models?: readonly ModelDescription[];
  /** Sends `reasoning_effort`. Off unless told: many servers refuse what they do not know. */
  readonly sendsEffort?: boolean;
}

const identity: ProviderIdentity = {
  id: 'compatible',
  label: 'OpenAI-compatible endpoint',
  keyHint: 'Set OPENAI_API_KEY in the environment, or run “Helios: Set API Key” in VS Code.',
};

/** Small enough for most local servers; a setting can name the real size. */
const assumedContextTokens = 32_768;

/** Servers of one's own ask for no key, but the SDK insists on one. */
const noKey = 'none';

export function createCompatibleProvider(options: CompatibleProviderOptions): ModelProvider {
  const { baseUrl, defaultModel, models = [], sendsEffort = false } = options;

  async function* raw(request: ModelRequest, signal: AbortSignal, attempt: Attempt): AsyncGenerator<ModelEvent> {
    const key = (await options.apiKey())?.trim() ?? '';
    attempt.secret = key;
    const client = await openaiClient(key === '' ? noKey : key, baseUrl);
    const chunks = await openReplaying(request, (asked) =>
      client.chat.completions.create(chatRequest(asked, identity.id, sendsEffort), { signal }),
    );
    yield* readChat(chunks, { provider: identity.id, request, attempt });
  }

  const known: readonly ModelDescription[] = models.some(({ id }) => id === defaultModel)
    ? models
    : [
        ...models,
        { id: defaultModel, label: defaultModel, contextTokens: assumedContextTokens, maxOutputTokens: 8192 },
      ];
  return {
    id: identity.id,
    label: identity.label,
    defaultModel,
    models: () => known,
    stream: dependable(raw, identity, options),
  };
}
