/** What is known of an endpoint's models: what it told, what a user set, and what is assumed. */
import type { Logger } from '../../base/logger.ts';
import type { ModelDescription, ModelRequest } from '../model.ts';
import type { ToldModel } from './told.ts';

/** What a user may say of the models of an endpoint. */
export interface ModelSettings {
  /**
   * Of models that the endpoint does not describe itself, and of those whose size it does not tell
   * for certain.
   */
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Absent: as the endpoint says, else native until it refuses tools. */
  readonly toolCalls?: 'native' | 'text' | undefined;
  readonly acceptsImages?: boolean | undefined;
  /** Sends `reasoning_effort`. Off unless told: many servers refuse what they do not know. */
  readonly sendsEffort?: boolean | undefined;
}

/** Small enough for most local servers; a setting can name the real size. */
const assumedContextTokens = 32_768;
const assumedOutputTokens = 8192;

/** The id of a model that nobody has named. */
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

  /** The one that is set, else the first of the endpoint. */
  get defaultModel(): string {
    return this.#configured ?? this.#told[0]?.id ?? unnamed;
  }

  /** The default model is among them in any case. */
  all(): readonly ModelDescription[] {
    const told = this.#told.map((model) => this.#described(model));
    const byDefault = this.defaultModel;
    return told.some(({ id }) => id === byDefault)
      ? told
      : [this.#described({ id: byDefault }), ...told];
  }

  /** The id to ask for. */
  named({ model }: Pick<ModelRequest, 'model'>): string {
    return model === unnamed ? this.defaultModel : model;
  }

  callsByText(model: string): boolean {
    if (this.#settings.toolCalls !== undefined) return this.#settings.toolCalls === 'text';
    return (
      this.#refusing.has(model) || this.#told.find(({ id }) => id === model)?.toolCalls === 'text'
    );
  }

  /** The endpoint takes no tools with this model: from now on it is offered them by text. */
  refuseTools(model: string, why: string): void {
    this.#refusing.add(model);
    this.#logger.info(`${model} takes no tools, and is offered them by text from now on: ${why}`);
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
