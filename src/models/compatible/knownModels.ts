/** Describes an endpoint's models, using the endpoint's list, the settings and default values. */
import type { Logger } from '../../base/logger.ts';
import type { ModelDescription, ModelRequest } from '../model.ts';
import { endpointEfforts } from './openaiChatRequest.ts';
import type { ToldModel } from './told.ts';

/** Settings of an endpoint's models. */
export interface ModelSettings {
  /** Context size, in tokens, of models whose actual size the endpoint does not report. */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /**
   * Way to call tools. Default: as the endpoint reports, else native until the endpoint refuses
   * tools.
   */
  readonly toolCalls?: 'native' | 'text' | undefined;
  readonly acceptsImages?: boolean | undefined;
  /**
   * Whether requests include `reasoning_effort`. Default: false, since many servers refuse unknown
   * parameters.
   */
  readonly sendsEffort?: boolean | undefined;
}

/**
 * Context size, in tokens, if neither the endpoint nor the settings state one: small enough for
 * most local servers.
 */
const assumedContextTokens = 32_768;
const assumedOutputTokens = 8192;

/** Id of the model if neither the settings nor the endpoint name one. */
const unnamed = 'default';

export class KnownModels {
  readonly #settings: ModelSettings;
  readonly #configured: string | undefined;
  readonly #logger: Logger;
  #models: readonly ToldModel[] = [];
  readonly #refusing = new Set<string>();

  constructor(settings: ModelSettings, configured: string | undefined, logger: Logger) {
    this.#settings = settings;
    this.#configured = configured === unnamed ? undefined : configured;
    this.#logger = logger;
  }

  learn(models: readonly ToldModel[]): void {
    this.#models = models;
  }

  get isLearned(): boolean {
    return this.#models.length > 0;
  }

  /** The model from the settings, else the first model that the endpoint lists. */
  get defaultModel(): string {
    return this.#configured ?? this.#models[0]?.id ?? unnamed;
  }

  /** Returns all models, always including the default model. */
  all(): readonly ModelDescription[] {
    const described = this.#models.map((model) => this.#described(model));
    const byDefault = this.defaultModel;
    return described.some(({ id }) => id === byDefault)
      ? described
      : [this.#described({ id: byDefault }), ...described];
  }

  /** Returns the model id to send to the endpoint. */
  named({ model }: Pick<ModelRequest, 'model'>): string {
    return model === unnamed ? this.defaultModel : model;
  }

  callsByText(model: string): boolean {
    if (this.#settings.toolCalls !== undefined) return this.#settings.toolCalls === 'text';
    return (
      this.#refusing.has(model) || this.#models.find(({ id }) => id === model)?.toolCalls === 'text'
    );
  }

  /**
   * Records that the endpoint refuses tools with this model. From now on, the model calls tools by
   * the text protocol.
   */
  refuseTools(model: string, why: string): void {
    this.#refusing.add(model);
    this.#logger.info(
      `${model} refuses native tool calls and uses the text protocol from now on: ${why}`,
    );
  }

  #described({ isAssumed = false, ...told }: ToldModel): ModelDescription {
    const {
      contextTokens: set,
      maxOutputTokens: max,
      acceptsImages,
      sendsEffort = false,
    } = this.#settings;
    const { price, ...rest } = told;
    const contextTokens =
      (isAssumed ? (set ?? told.contextTokens) : (told.contextTokens ?? set)) ??
      assumedContextTokens;
    const images = acceptsImages ?? told.acceptsImages;
    return {
      ...rest,
      label: told.label ?? told.id,
      contextTokens,
      maxOutputTokens:
        told.maxOutputTokens ?? max ?? Math.min(assumedOutputTokens, Math.ceil(contextTokens / 4)),
      toolCalls: this.callsByText(told.id) ? 'text' : 'native',
      ...(images !== undefined && { acceptsImages: images }),
      efforts: sendsEffort ? endpointEfforts : [],
      ...(price !== undefined && { price }),
    };
  }
}
