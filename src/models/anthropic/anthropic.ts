/** Claude, over the Messages API. */
import type { Attempt } from '../guarded.ts';
import { anthropicRequest } from './anthropicRequest.ts';
import { readAnthropic } from './anthropicStream.ts';
import { claudeModels, defaultClaudeModel } from '../catalogue.ts';
import type { ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { dependable, requiredKey, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { openReplaying } from '../replay.ts';
import { silentLogger } from '../../base/logger.ts';

const identity: ProviderIdentity = {
  id: 'claude',
  label: 'Anthropic',
  keyHint: 'Set ANTHROPIC_API_KEY in the environment, or run “Helios: Set API Key” in VS Code.',
};

export function createAnthropicProvider(options: ProviderOptions): ModelProvider {
  async function* raw(request: ModelRequest, signal: AbortSignal, attempt: Attempt): AsyncGenerator<ModelEvent> {
    const apiKey = await requiredKey(options, identity, attempt);
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const client = new Anthropic({
      apiKey,
      baseURL: options.baseUrl ?? 'https://api.anthropic.com',
      maxRetries: 0,
      webhookKey: null,
      ...(options.fetch && { fetch: options.fetch }),
      logger: silentLogger,
      logLevel: 'off',
    });
    const events = await openReplaying(request, (asked) =>
      client.messages.create(anthropicRequest(asked, identity.id), { signal }),
    );
    yield* readAnthropic(events, { provider: identity.id, model: request.model, attempt });
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultClaudeModel,
    models: () => claudeModels,
    stream: dependable(raw, identity, options),
  };
}
