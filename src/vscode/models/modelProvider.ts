/**
 * Offers the models of Helios's providers in VS Code's model picker, so that the chat works without
 * a Copilot subscription.
 */
import {
  EventEmitter,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  lm,
  type CancellationToken,
  type Disposable,
  type LanguageModelChatInformation,
  type LanguageModelChatProvider,
  type LanguageModelChatRequestMessage,
  type LanguageModelResponsePart,
  type Progress,
  type ProvideLanguageModelChatResponseOptions,
} from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { ModelReply } from '../../models/model.ts';
import type { PriceTable } from '../../models/prices.ts';
import type { ApiKeys } from './apiKeys.ts';
import { configuredModelId, modelVendor } from '../ui/contributions.ts';
import type { EngineHost } from '../window/engineHost.ts';
import { hostProviderId } from './hostModels.ts';
import { choiceDetail, modelChoices, priceTable, type ModelChoice } from './modelChoices.ts';
import { estimateTokens, modelRequest } from './modelMessages.ts';
import { pickedModel } from './preconditions.ts';
import { readyProviders } from './readiness.ts';
import { engineSettings } from '../ui/settings.ts';

export interface ModelDeps {
  readonly host: EngineHost;
  readonly keys: ApiKeys;
  readonly isTrusted: () => boolean;
}

/** Returns the models that can be selected now; none in an untrusted workspace. */
export async function readChoices({ host, isTrusted }: ModelDeps): Promise<readonly ModelChoice[]> {
  if (!isTrusted()) return [];
  const engine = await host.get();
  const knownEntries = engine.models.known();
  const providers = engine.providers().map((provider) => {
    const providerEntries = knownEntries.filter((entry) => entry.provider === provider.id);
    const defaultModel =
      providerEntries.find(({ isDefault }) => isDefault)?.model.id ?? provider.defaultModel;
    return {
      id: provider.id,
      label: provider.label,
      defaultModel,
      models: () => providerEntries.map(({ model }) => model),
    };
  });
  return modelChoices({
    providers,
    configured: engineSettings(),
    ready: await readyProviders(engine),
  });
}

export class HeliosModels implements LanguageModelChatProvider, Disposable {
  readonly #deps: ModelDeps;
  readonly #owned = new DisposableStore();
  readonly #changed = new EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;

  constructor(deps: ModelDeps) {
    this.#deps = deps;
    this.#owned.add(this.#changed);
    this.#owned.add(deps.keys.onDidChange(() => this.changed()));
    this.#owned.add(lm.registerLanguageModelChatProvider(modelVendor, this));
  }

  changed(): void {
    this.#changed.fire();
  }

  async provideLanguageModelChatInformation(): Promise<LanguageModelChatInformation[]> {
    const prices = priceTable(engineSettings().prices);
    const choices = (await readChoices(this.#deps)).filter(
      ({ provider }) => provider !== hostProviderId,
    );
    const configured = choices.find(({ isConfigured }) => isConfigured);
    return [
      ...(configured ? [asConfigured(describe(configured, prices))] : []),
      ...choices.map((choice) => describe(choice, prices)),
    ];
  }

  async provideLanguageModelChatResponse(
    model: LanguageModelChatInformation,
    messages: readonly LanguageModelChatRequestMessage[],
    options: ProvideLanguageModelChatResponseOptions,
    ...[progress, token]: [Progress<LanguageModelResponsePart>, CancellationToken]
  ): Promise<void> {
    const picked = pickedModel(modelVendor, await this.#resolved(model.id), modelVendor);
    const provider = (await this.#deps.host.get())
      .providers()
      .find(({ id }) => id === picked?.provider);
    if (picked === undefined || provider === undefined)
      throw new Error(`The model ${model.id} is no longer available. Select another model.`);
    const abort = new AbortController();
    const cancelled = token.onCancellationRequested(() => abort.abort());
    try {
      const request = modelRequest(picked.model, messages, options.tools);
      for await (const event of provider.stream(request, abort.signal)) {
        if (event.type === 'text.delta') progress.report(new LanguageModelTextPart(event.text));
        if (event.type === 'attempt.discarded')
          progress.report(new LanguageModelTextPart(retryNote));
        if (event.type === 'finished') finish(event.reply, progress);
      }
    } finally {
      cancelled.dispose();
    }
  }

  provideTokenCount(
    _model: LanguageModelChatInformation,
    text: string | LanguageModelChatRequestMessage,
  ): Promise<number> {
    return Promise.resolve(estimateTokens(typeof text === 'string' ? text : text.content));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #resolved(id: string): Promise<string> {
    if (id !== configuredModelId) return id;
    const configured = (await readChoices(this.#deps)).find(({ isConfigured }) => isConfigured);
    return configured ? modelIdOf(configured) : id;
  }
}

const modelIdOf = ({ provider, model }: ModelChoice): string => `${provider}/${model.id}`;

const describe = (choice: ModelChoice, prices: PriceTable): LanguageModelChatInformation => ({
  id: modelIdOf(choice),
  name: choice.model.label,
  family: choice.model.id,
  version: '1',
  detail: choice.isReady ? choice.providerLabel : `${choice.providerLabel}, not set up`,
  tooltip: choiceDetail(choice, prices),
  maxInputTokens: choice.model.contextTokens - choice.model.maxOutputTokens,
  maxOutputTokens: choice.model.maxOutputTokens,
  capabilities: { toolCalling: true, imageInput: choice.provider !== 'demo' },
});

/**
 * Returns the entry for the configured model. Its name, “As Configured: …”, sorts before the names
 * of all models, because VS Code preselects the first name in alphabetical order.
 */
const asConfigured = (model: LanguageModelChatInformation): LanguageModelChatInformation => ({
  ...model,
  id: configuredModelId,
  name: `As Configured: ${model.name}`,
});

const retryNote = '\n\n*The answer was cut off and is being written again.*\n\n';

function finish(reply: ModelReply, progress: Progress<LanguageModelResponsePart>): void {
  for (const block of reply.content) {
    if (block.type !== 'tool_call') continue;
    progress.report(new LanguageModelToolCallPart(block.id, block.name, toObject(block.input)));
  }
  if (reply.failure !== undefined) throw new Error(reply.failure.message);
}

const toObject = (input: unknown): object =>
  typeof input === 'object' && input !== null ? input : {};
