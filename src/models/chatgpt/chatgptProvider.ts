/**
 * Provider for OpenAI's models through a ChatGPT subscription. Uses the back end of Codex, which
 * accepts a variant of the Responses API.
 */
import type OpenAI from 'openai';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import { CallFailed, withoutSecret, type Attempt } from '../guarded.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { openaiClient } from '../openai/openaiClient.ts';
import { responsesRequest } from '../openai/openaiResponsesRequest.ts';
import { readResponses } from '../openai/openaiResponsesStream.ts';
import { responsesSearch } from '../openai/openaiSearch.ts';
import { dependable, type CallOptions, type ProviderIdentity } from '../provider.ts';
import { providers } from '../providerList.ts';
import { failureOf } from '../failures.ts';
import { openReplaying } from '../replay.ts';
import { planFailure, withReadableErrors } from './chatgptFailures.ts';
import {
  chatgptModels,
  defaultChatgptFamily,
  defaultChatgptModel,
  toldModels,
} from './chatgptModels.ts';
import { defaultBackendUrl, originator, signInHint } from './codexService.ts';
import type { ChatgptTokens } from './tokens.ts';

export interface ChatgptProviderOptions extends CallOptions {
  readonly tokens: Pick<ChatgptTokens, 'current' | 'renewed' | 'readiness'>;
}

const identity: ProviderIdentity = {
  id: 'chatgpt',
  label: providers.chatgpt.label,
  keyHint: signInHint,
};

/**
 * Client version sent with the request for the list of models. The back end lists newer models only
 * for newer clients; for this version, the back end lists all models.
 */
const clientVersion = '99.99.99';

export function createChatgptProvider(options: ChatgptProviderOptions): ModelProvider {
  const backend = new CodexBackend(options);

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const { conversation } = request;
    const events = await openReplaying(request, (toSend) =>
      backend.call({ attempt, conversation }, (client) =>
        client.responses.create(codexRequest(toSend), { signal }),
      ),
    );
    yield* backend.explained(
      readResponses(events, { provider: identity.id, model: request.model, attempt }),
    );
  }

  return {
    id: identity.id,
    label: identity.label,
    billing: 'plan',
    defaultModel: defaultChatgptModel,
    defaultFamily: defaultChatgptFamily,
    models: () => chatgptModels,
    list: (signal) => backend.list(signal),
    readiness: () => options.tokens.readiness(),
    stream: dependable(raw, identity, options),
    search: responsesSearch({
      identity,
      options,
      asksForAllSources: false,
      open: (body, signal, attempt) =>
        backend.call({ attempt }, (client) => client.responses.create(body, { signal })),
    }),
  };
}

/**
 * Builds the request for the back end, which refuses an output limit and requires some fields that
 * are optional in the Responses API.
 */
function codexRequest({
  maxOutputTokens: _,
  ...request
}: ModelRequest): ResponseCreateParamsStreaming {
  return {
    ...responsesRequest(request, identity.id, { hasSummaries: true }),
    include: ['reasoning.encrypted_content'],
    tool_choice: 'auto',
    parallel_tool_calls: true,
  };
}

interface CallContext {
  readonly attempt: Pick<Attempt, 'secret'>;
  readonly conversation?: string | undefined;
}

class CodexBackend {
  readonly #options: ChatgptProviderOptions;

  constructor(options: ChatgptProviderOptions) {
    this.#options = options;
  }

  /**
   * Makes the call with the current tokens. If the service refuses the tokens, renews them and
   * makes the call once more.
   */
  async call<T>(context: CallContext, make: (client: OpenAI) => Promise<T>): Promise<T> {
    const { tokens } = this.#options;
    const first = await tokens.current();
    try {
      return await make(await this.#client(first, context));
    } catch (error) {
      if (!isUnauthorized(error)) throw this.#explain(error);
    }
    const second = await tokens.renewed(first);
    try {
      return await make(await this.#client(second, context));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async *explained(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    try {
      yield* events;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async list(signal: AbortSignal): Promise<readonly ModelDescription[]> {
    const attempt: CallContext['attempt'] = {};
    try {
      const query = { client_version: clientVersion };
      const answer = await this.call({ attempt }, (client) =>
        client.get('/models', { query, signal }),
      );
      const models = toldModels(answer);
      if (models !== undefined) return models;
      throw new CallFailed({
        reason: 'server',
        message: `${identity.label} answered without a list of models.`,
      });
    } catch (error) {
      const context = { ...identity, nowMs: this.#options.clock.now() };
      const failure = error instanceof CallFailed ? error.failure : failureOf(error, context);
      throw new CallFailed(withoutSecret(failure, attempt.secret));
    }
  }

  #client(
    { accessToken, accountId }: Awaited<ReturnType<ChatgptTokens['current']>>,
    { attempt, conversation }: CallContext,
  ): Promise<OpenAI> {
    attempt.secret = accessToken;
    const { baseUrl = defaultBackendUrl, fetch = globalThis.fetch } = this.#options;
    return openaiClient(accessToken, baseUrl, {
      fetch: withReadableErrors(fetch),
      headers: {
        originator,
        'chatgpt-account-id': accountId,
        ...(conversation !== undefined && { session_id: conversation }),
      },
    });
  }

  #explain(error: unknown): unknown {
    const failure = planFailure(error, this.#options.clock.now());
    return failure === undefined ? error : new CallFailed(failure);
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 401;
