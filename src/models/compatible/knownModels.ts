/** Descriptions of an endpoint's models: from the endpoint, from settings, and assumed. */
import type { Logger } from '../../base/logger.ts';
import type { ModelDescription, ModelRequest } from '../model.ts';
import type { ToldModel } from './told.ts';

/** Settings of an endpoint's models. */
export interface ModelSettings {
  /**
   * Context size of models that the endpoint does not describe, and of those whose size it reports
   * only as an assumption.
   */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Default: as the endpoint reports, else native until it refuses tools. */
  readonly toolCalls?: 'native' | 'text' | undefined;
  readonly acceptsImages?: boolean | undefined;
  /** Sends `reasoning_effort`. Default: false, since many servers refuse unknown parameters. */
  readonly sendsEffort?: boolean | undefined;
}

/** Small enough for most local servers; a setting can give the real size. */
const assumedContextTokens = 32_768;
const assumedOutputTokens = 8192;

/** Id of the model when neither settings nor endpoint name one. */
const unnamed = 'default';

export class KnownModels {
  readonly #settings: ModelSettings;
  readonly #configured: string | undefined;
  readonly #logger: Logger;
  #told: readonly ToldModel[] = [];
  readonly #refusing = new Set<string>();

  constructor(settings: ModelSettings, configured: string | undefined, logger: Logger) {
    this.#settings = settings;
    this.#configured = configured === unnamed ? undefined : configured;
    this.#logger = logger;
  }

  learn(told: readonly ToldModel[]): void {
    this.#told = told;
  }

  get isLearned(): boolean {
    return this.#told.length > 0;
  }

  /** The model of the settings, else the first of the endpoint. */
  get defaultModel(): string {
    return this.#configured ?? this.#told[0]?.id ?? unnamed;
  }

  /** Returns all models, always including the default model. */
  all(): readonly ModelDescription[] {
    const told = this.#told.map((model) => this.#described(model));
    const byDefault = this.defaultModel;
    return told.some(({ id }) => id === byDefault)
      ? told
      : [this.#described({ id: byDefault }), ...told];
  }

  /** Returns the id to send. */
  named({ model }: Pick<ModelRequest, 'model'>): string {
    return model === unnamed ? this.defaultModel : model;
  }

  callsByText(model: string): boolean {
    if (this.#settings.toolCalls !== undefined) return this.#settings.toolCalls === 'text';
    return (
      this.#refusing.has(model) || this.#told.find(({ id }) => id === model)?.toolCalls === 'text'
    );
  }

  /**
   * Records that the endpoint refuses tools with this model. From now on they are offered by text.
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
      ...(!sendsEffort && { efforts: [] }),
      ...(price !== undefined && { price }),
    };
  }
}
