/** Catalogue of models, combined from the built-in list and the lists of the providers. */
import type { Clock } from '../base/clock.ts';
import { adviceOf, messageOf, UserFacing } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { describedModel, undatedId } from './catalogue.ts';
import type { ModelCache } from './list/modelCache.ts';
import { findModel, modelOn, type NamedModel, type Shelf } from './list/modelNames.ts';
import type { ModelDescription, ModelProvider } from './model.ts';
import { newestFirst } from './modelFamily.ts';
import type { PricedEntry } from './prices.ts';
import { formatDuration } from '../base/text.ts';

/** A model of a provider, and where its description comes from. */
export interface CatalogueEntry {
  readonly provider: string;
  readonly model: ModelDescription;
  /** `live`: listed by the provider itself · `known`: from the built-in list. */
  readonly source: 'live' | 'known';
  readonly isDefault: boolean;
}

export interface CatalogueListing {
  readonly entries: readonly CatalogueEntry[];
  /**
   * Maps a provider to the reason why its list could not be fetched. `entries` still contains the
   * provider's known models.
   */
  readonly problems: ReadonlyMap<string, string>;
}

export interface ListingOptions {
  /** Whether to fetch all lists again. Default: lists fetched within the last hour are reused. */
  readonly isFresh?: boolean | undefined;
  /** Restricts the listing to this provider. Default: all providers. */
  readonly provider?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All available models of all providers. */
export interface ModelCatalogue {
  /** Returns the models of the built-in list and of the lists fetched before. Makes no request. */
  known(): readonly CatalogueEntry[];
  /** Returns the models that `known` returns, with only the fields that prices need. */
  priced(): readonly PricedEntry[];
  /**
   * Fetches the lists of all providers that are ready, in parallel, for at most ten seconds each.
   * Never rejects.
   */
  list(options?: ListingOptions): Promise<CatalogueListing>;
  /** Describes a model by its id, with or without a date. */
  describe(provider: string, model: string): ModelDescription | undefined;
  /**
   * Resolves the name that a user gives for a model: an id, `provider/id`, an alias (`opus`,
   * `sonnet`, `gpt`, …: the newest model of the family that is not retiring), or `default`. With
   * `provider`, only models of that provider match, and an unlisted id is returned unchanged.
   * Without `provider`, models of `preferred` (default: the provider of the settings) match first.
   * If nothing matches, throws `UserFacing` with similar names.
   */
  resolve(word: string, provider?: string, preferred?: string): NamedModel;
}

export interface CatalogueDeps {
  providers(): readonly ModelProvider[];
  /**
   * Provider and model of the settings. If a name matches models of several providers, this
   * provider is preferred.
   */
  configured(): { readonly provider: string; readonly model?: string | undefined };
  /** Whether the built-in list or the settings have a price for the model. */
  isPriced(provider: string, model: string): boolean;
  readonly cache: ModelCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

const freshMs = 60 * 60_000;
/** Timeout for fetching the list of one provider. */
const patienceMs = 10_000;

export class LiveCatalogue implements ModelCatalogue {
  readonly #deps: CatalogueDeps;
  /** Requests under way. Further callers share the answer of such a request. */
  readonly #asking = new Map<string, Promise<string | undefined>>();
  readonly #closing = new AbortController();

  constructor(deps: CatalogueDeps) {
    this.#deps = deps;
  }

  priced(): readonly PricedEntry[] {
    return this.#deps
      .providers()
      .flatMap((provider) =>
        this.#models(provider).map((model) => ({ provider: provider.id, model })),
      );
  }

  known(): readonly CatalogueEntry[] {
    return this.#deps.providers().flatMap((provider) => {
      const { id } = provider;
      const byDefault = this.#defaultIfAny(provider);
      const source = this.#fetched(provider) === undefined ? ('known' as const) : ('live' as const);
      return this.#models(provider).map((model) => ({
        provider: id,
        model,
        source,
        isDefault: model.id === byDefault,
      }));
    });
  }

  async list({
    isFresh = false,
    provider: only,
    signal,
  }: ListingOptions = {}): Promise<CatalogueListing> {
    const isWanted = (id: string): boolean => only === undefined || id === only;
    const selected = this.#deps.providers().filter(({ id }) => isWanted(id));
    const problems = await Promise.all(
      selected.map(async (provider) => {
        const problem = await orOnAbort(
          this.#ask(provider, isFresh),
          signal,
          'The request was cancelled.',
        );
        return problem === undefined ? [] : [[provider.id, problem] as const];
      }),
    );
    await this.#deps.cache.settled();
    const entries = this.known().filter(({ provider }) => isWanted(provider));
    return { entries, problems: new Map(problems.flat()) };
  }

  describe(provider: string, model: string): ModelDescription | undefined {
    const owner = this.#deps.providers().find(({ id }) => id === provider);
    if (owner === undefined) return undefined;
    const models = this.#models(owner);
    return (
      describedModel(models, model) ??
      models.find(({ id }) => undatedId(id) === model) ??
      describedModel(owner.models(), model)
    );
  }

  resolve(
    word: string,
    provider?: string,
    preferred: string = this.#deps.configured().provider,
  ): NamedModel {
    const name = word.trim();
    const providers = this.#deps.providers();
    if (name === 'default') {
      const owner = providerOf(providers, provider ?? preferred);
      return { provider: owner.id, model: this.#defaultOf(owner) };
    }
    if (name === '')
      throw new UserFacing('No model is named.', 'Specify an id, or an alias such as opus or gpt.');
    const shelves = providers
      .toSorted((one, other) => Number(other.id === preferred) - Number(one.id === preferred))
      .map((each) => this.#shelf(each));
    if (provider === undefined) return findModel(name, shelves);
    const shelf = this.#shelf(providerOf(providers, provider));
    return { provider, model: modelOn(shelf, name, shelves) };
  }

  /** Aborts the requests under way. */
  dispose(): void {
    this.#closing.abort();
  }

  #shelf(provider: ModelProvider): Shelf {
    const { id, label } = provider;
    return { provider: id, label, models: this.#models(provider), known: provider.models() };
  }

  /**
   * Returns the model of the settings, else the newest model of the provider's default family.
   * Prefers a model with a known price, since a money limit requires a price.
   */
  #defaultOf(provider: ModelProvider): string {
    const { configured, isPriced } = this.#deps;
    const { provider: chosen, model } = configured();
    if (chosen === provider.id && model !== undefined && !['', 'default'].includes(model.trim()))
      return modelOn(this.#shelf(provider), model.trim());
    const { defaultFamily, defaultModel } = provider;
    if (defaultFamily === undefined) return defaultModel;
    const candidates = newestFirst(this.#models(provider), defaultFamily);
    const hasPrice = ({ id, price }: ModelDescription): boolean =>
      price !== undefined || isPriced(provider.id, id);
    const priced = provider.billing === 'plan' ? undefined : candidates.find(hasPrice);
    return (priced ?? candidates[0])?.id ?? defaultModel;
  }

  /**
   * Returns the default model, or undefined if the setting is wrong. That error is reported when
   * the setting is used.
   */
  #defaultIfAny(provider: ModelProvider): string | undefined {
    try {
      return this.#defaultOf(provider);
    } catch (error) {
      if (error instanceof UserFacing) return undefined;
      throw error;
    }
  }

  #fetched({ id, list }: ModelProvider): readonly ModelDescription[] | undefined {
    const models = list === undefined ? undefined : this.#deps.cache.get(id)?.models;
    return models?.length === 0 ? undefined : models;
  }

  /**
   * Merges the provider's list with the built-in list. The provider's values take precedence.
   * Models that the provider does not list are omitted, except the user's default model.
   */
  #models(provider: ModelProvider): readonly ModelDescription[] {
    const known = provider.models();
    const fetched = this.#fetched(provider);
    if (fetched === undefined) return known;
    const live = fetched.map((model) => merged(model, describedModel(known, model.id)));
    const isOwn = ({ id }: ModelDescription): boolean =>
      provider.defaultFamily === undefined &&
      id === provider.defaultModel &&
      !fetched.some((each) => each.id === id);
    return [...known.filter(isOwn), ...live];
  }

  /**
   * Fetches a provider's list. Resolves with the reason if that fails, otherwise with undefined.
   */
  #ask(provider: ModelProvider, isFresh: boolean): Promise<string | undefined> {
    const name = `${provider.id} ${isFresh}`;
    const asking =
      this.#asking.get(name) ??
      this.#askOnce(provider, isFresh).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #askOnce(provider: ModelProvider, isFresh: boolean): Promise<string | undefined> {
    const { clock, logger } = this.#deps;
    const timeout = new AbortController();
    const timer = clock.after(patienceMs, () => timeout.abort());
    const signal = AbortSignal.any([timeout.signal, this.#closing.signal]);
    try {
      const silent = `${provider.label} did not answer within ${formatDuration(patienceMs)}.`;
      return await orOnAbort(this.#hear(provider, isFresh, signal), signal, silent);
    } catch (error) {
      logger.warn(`The models of ${provider.id} could not be listed: ${messageOf(error)}`);
      return adviceOf(error);
    } finally {
      timer.dispose();
    }
  }

  async #hear(
    provider: ModelProvider,
    isFresh: boolean,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { cache, clock } = this.#deps;
    const readiness = (await provider.readiness?.()) ?? { isReady: true };
    if (!readiness.isReady) return `${readiness.problem} ${readiness.action}`;
    const heardMs = cache.get(provider.id)?.heardMs ?? -Infinity;
    if (provider.list === undefined || (!isFresh && clock.now() - heardMs < freshMs))
      return undefined;
    cache.keep(provider.id, await provider.list(signal));
    return undefined;
  }
}

/**
 * Merges two descriptions of a model: sizes and prices come from the provider, the label from the
 * built-in list if that list contains the model.
 */
const merged = (live: ModelDescription, known: ModelDescription | undefined): ModelDescription => ({
  ...known,
  ...live,
  label: known?.label ?? live.label,
});

function providerOf(providers: readonly ModelProvider[], id: string): ModelProvider {
  const found = providers.find((provider) => provider.id === id);
  if (found !== undefined) return found;
  const ids = providers.map((provider) => provider.id);
  throw new UserFacing(`There is no model provider ${id}.`, `Choose one of: ${ids.join(', ')}.`);
}

/** Settles as `pending` does, or with `instead` as soon as the signal is aborted. */
async function orOnAbort<T>(
  pending: Promise<T>,
  signal: AbortSignal | undefined,
  instead: T,
): Promise<T> {
  if (signal === undefined) return pending;
  const aborted = Promise.withResolvers<T>();
  const onAbort = (): void => aborted.resolve(instead);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
