/**
 * Provider for any endpoint with the Chat Completions API: vLLM, Ollama, llama.cpp, LM Studio,
 * OpenRouter and many more.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { CallFailed, type Attempt, type RawStream } from '../guarded.ts';
import { listing } from '../listing.ts';
import type { ModelDescription, ModelEvent, ModelProvider, ModelRequest } from '../model.ts';
import { openaiClient } from '../openai/openaiClient.ts';
import { dependable, type ProviderIdentity, type ProviderOptions } from '../provider.ts';
import { keyedIdentity } from '../providerList.ts';
import { openReplaying } from '../replay.ts';
import { withTextTools } from '../textTools/withTextTools.ts';
import { askJson } from './askJson.ts';
import { refusesTools, withStatus } from './endpointFailure.ts';
import { endpointModels } from './endpointModels.ts';
import { KnownModels, type ModelSettings } from './knownModels.ts';
import { chatRequest } from './openaiChatRequest.ts';
import { readChat } from './openaiChatStream.ts';
import { isOpenToAll } from './openToAll.ts';

export interface CompatibleProviderOptions extends ProviderOptions, ModelSettings {
  /** For example `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Id and label of a named endpoint. Default: those of the provider `compatible`. */
  readonly identity?: ProviderIdentity;
  /**
   * Model for sessions that do not choose one. Default: the first model that the endpoint lists.
   */
  readonly defaultModel?: string;
  /** Temperature of every request. Default: none is sent. */
  readonly temperature?: number;
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly logger?: Logger;
}

const compatible: ProviderIdentity = keyedIdentity('compatible');

/** Placeholder: local servers need no key, but the SDK requires one. */
const noKey = 'none';

/** Maximum time that the first call waits for the endpoint's list of models. */
const learnWithinMs = 3000;

export function createCompatibleProvider(options: CompatibleProviderOptions): ModelProvider {
  const { identity = compatible, logger = silentLogger, clock, headers, fetch } = options;
  const { sendsEffort = false, temperature } = options;
  const { id, label, keyHint } = identity;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  // Failure messages include the address, since a wrong address is the most frequent mistake.
  const placed: ProviderIdentity = { id, label: `${label} at ${baseUrl}`, keyHint };
  const known = new KnownModels(options, options.defaultModel, logger);

  const key = async (): Promise<string> => {
    const found = (await options.apiKey())?.trim() ?? '';
    if (found !== '' && isOpenToAll(baseUrl)) throw new CallFailed(keyInTheOpen(placed.label));
    return found === '' ? noKey : found;
  };

  const list = modelList(options, { baseUrl, placed, known, key });
  const learn = learning(list, known, { clock, logger });

  const send = (keepsReasoning: boolean): RawStream =>
    async function* (request, signal, attempt) {
      const apiKey = await key();
      attempt.secret = apiKey;
      const client = await openaiClient(apiKey, baseUrl, { fetch, headers });
      const format = { provider: id, sendsEffort, keepsReasoning, temperature };
      const chunks = await openReplaying(request, (toSend) =>
        client.chat.completions.create(chatRequest(toSend, format), { signal }),
      );
      yield* readChat(chunks, { provider: id, request, attempt });
    };
  const native = send(false);
  const byText = withTextTools(send(true), id);

  async function* raw(
    original: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    if (original.tools.length > 0 && options.toolCalls === undefined) await learn(signal);
    const request = { ...original, model: known.named(original) };
    try {
      yield* (known.callsByText(request.model) ? byText : native)(request, signal, attempt);
    } catch (error) {
      if (request.tools.length === 0 || known.callsByText(request.model) || !refusesTools(error))
        throw withStatus(error);
      known.refuseTools(request.model, messageOf(error));
      yield* byText(request, signal, attempt);
    }
  }

  return {
    id,
    label,
    get defaultModel() {
      return known.defaultModel;
    },
    models: (): readonly ModelDescription[] => known.all(),
    list,
    stream: dependable(raw, placed, options),
  };
}

interface ListDeps {
  readonly baseUrl: string;
  readonly placed: ProviderIdentity;
  readonly known: KnownModels;
  key(): Promise<string>;
}

/**
 * Returns a function that lists the models of the endpoint and stores their descriptions in
 * `known`.
 */
const modelList = (
  options: CompatibleProviderOptions,
  { baseUrl, placed, known, key }: ListDeps,
): ReturnType<typeof listing> =>
  listing(
    async (apiKey, signal) => {
      const endpoint = {
        baseUrl,
        key: apiKey === noKey ? '' : apiKey,
        headers: options.headers,
        fetch: options.fetch ?? globalThis.fetch,
      };
      known.learn(await endpointModels(askJson(endpoint, signal)));
      return known.all();
    },
    placed,
    { ...options, apiKey: key },
  );

/**
 * Returns a function that fetches the list of models once, before the first call with tools,
 * because the list states whether a model supports native tool calls. If the endpoint does not
 * answer in time, the call is made without the list.
 */
function learning(
  list: NonNullable<ModelProvider['list']>,
  known: KnownModels,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): (signal: AbortSignal) => Promise<void> {
  let hasAsked = false;
  return async (signal) => {
    if (hasAsked || known.isLearned) return;
    hasAsked = true;
    const late = new AbortController();
    const timer = clock.after(learnWithinMs, () => late.abort());
    try {
      await list(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      logger.debug(`The models of an endpoint could not be listed: ${messageOf(error)}`);
    } finally {
      timer.dispose();
    }
  };
}

const keyInTheOpen = (label: string) => ({
  reason: 'auth' as const,
  message: `${label}: the key would be sent unencrypted over the internet. Use an https address, or remove the key of this endpoint.`,
});
