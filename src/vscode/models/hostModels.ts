/**
 * A provider for the models that VS Code gets from Copilot or other extensions. These models work
 * only while this window is open and need the user's consent on first use. They do not report token
 * usage, so the tokens are counted with VS Code's `countTokens`.
 */
import {
  CancellationTokenSource,
  LanguageModelError,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  lm,
  type LanguageModelChat,
} from 'vscode';
import { systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import type { Attempt } from '../../models/guarded.ts';
import { providers } from '../../compose/providers.ts';
import { CallFailed, dependable } from '../../compose/ownProviders.ts';
import type {
  AssistantBlock,
  ModelDescription,
  ModelEvent,
  ModelFailureReason,
  ModelProvider,
  ModelRequest,
} from '../../models/model.ts';
import { modelVendor } from '../ui/contributions.ts';
import { hostMessages, textToCount } from './hostMessages.ts';

export const hostProviderId = 'vscode';
const { label } = providers.vscode;
/**
 * Assumed maximum number of tokens of a reply, because VS Code reports only the maximum number of
 * tokens of a request.
 */
const replyTokens = 8_192;
const justification = 'Helios works on your goal autonomously until it is met.';

const idOf = ({ vendor, id }: LanguageModelChat): string => `${vendor}/${id}`;

const describe = (model: LanguageModelChat): ModelDescription => ({
  id: idOf(model),
  label: model.name,
  contextTokens: model.maxInputTokens + replyTokens,
  maxOutputTokens: replyTokens,
  efforts: [],
});

export class HostModels implements Disposable {
  readonly provider: ModelProvider;
  readonly #listening: Disposable;
  #models: readonly LanguageModelChat[] = [];

  constructor() {
    const models = (): readonly ModelDescription[] => this.#models.map(describe);
    this.provider = {
      id: hostProviderId,
      label,
      billing: 'plan',
      get defaultModel() {
        return models()[0]?.id ?? 'none';
      },
      models,
      list: () => this.refresh(),
      readiness: () =>
        Promise.resolve(
          this.#models.length > 0
            ? { isReady: true }
            : {
                isReady: false,
                problem: 'No other extension offers models to this window.',
                action: 'Sign in to Copilot, or install an extension that provides models.',
              },
        ),
      stream: dependable(
        (...args) => this.#stream(...args),
        { id: hostProviderId, label, keyHint: '' },
        {
          clock: systemClock,
        },
      ),
    };
    this.#listening = lm.onDidChangeChatModels(() => void this.refresh());
  }

  /** Reads the current models from VS Code, and returns them. */
  async refresh(): Promise<readonly ModelDescription[]> {
    this.#models = (await lm.selectChatModels({})).filter(({ vendor }) => vendor !== modelVendor);
    return this.#models.map(describe);
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async *#stream(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const model =
      this.#models.find((each) => idOf(each) === request.model) ??
      (await this.#find(request.model));
    const cancel = new CancellationTokenSource();
    const onAbort = (): void => cancel.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      yield* reply(model, request, { attempt, cancel });
    } catch (error) {
      throw failureOf(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
      cancel.dispose();
    }
  }

  async #find(id: string): Promise<LanguageModelChat> {
    await this.refresh();
    const found = this.#models.find((each) => idOf(each) === id);
    if (found !== undefined) return found;
    throw new CallFailed({
      reason: 'invalid',
      message: `VS Code has no model ${id}. Select another model with “Helios: Select Model”, or sign in to its provider.`,
    });
  }
}

interface Call {
  readonly attempt: Attempt;
  readonly cancel: CancellationTokenSource;
}

async function* reply(
  model: LanguageModelChat,
  request: ModelRequest,
  { attempt, cancel }: Call,
): AsyncGenerator<ModelEvent> {
  const tools = request.tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const options = { justification, ...(tools.length > 0 && { tools }) };
  const response = await model.sendRequest(hostMessages(request), options, cancel.token);
  const content: AssistantBlock[] = [];
  let text = '';
  for await (const part of response.stream) {
    if (part instanceof LanguageModelTextPart) {
      text += part.value;
      yield { type: 'text.delta', text: part.value };
    } else if (part instanceof LanguageModelToolCallPart) {
      content.push({ type: 'tool_call', id: part.callId, name: part.name, input: part.input });
      yield { type: 'tool_call.started', id: part.callId, name: part.name };
    }
  }
  const [inputTokens, outputTokens] = await Promise.all([
    model.countTokens(textToCount(request)),
    model.countTokens(text + JSON.stringify(content)),
  ]);
  attempt.usage = { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens };
  yield {
    type: 'finished',
    reply: {
      content: text === '' ? content : [{ type: 'text', text }, ...content],
      stop: content.length > 0 ? 'tools' : 'stop',
      usage: attempt.usage,
      model: request.model,
    },
  };
}

const reasons: Readonly<Record<string, readonly [ModelFailureReason, string]>> = {
  NoPermissions: [
    'auth',
    'Allow Helios to use the model: VS Code asks for permission at the next chat message.',
  ],
  Blocked: ['rate_limit', 'The limit of the subscription is reached, or the request was blocked.'],
  NotFound: ['invalid', 'Select another model with “Helios: Select Model”.'],
};

function failureOf(error: unknown): CallFailed {
  const [reason, action] = (error instanceof LanguageModelError
    ? reasons[error.code]
    : undefined) ?? ['server', ''];
  const cause =
    error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return new CallFailed({
    reason,
    message: `${label}: ${messageOf(error)}${cause} ${action}`.trim(),
  });
}
