/** Which models there are: from our list, and from the providers themselves. */
import { UserFacing } from '../base/errors.ts';
import type { ModelDescription, ModelProvider } from './model.ts';

/** A model of a provider, with what is known of it. */
export interface CatalogueEntry {
  readonly provider: string;
  readonly providerLabel: string;
  readonly model: ModelDescription;
  /** `live`: the provider itself said so · `known`: from our list. */
  readonly source: 'live' | 'known';
  readonly isDefault: boolean;
}

export interface CatalogueListing {
  readonly entries: readonly CatalogueEntry[];
  /** Provider → why it could not be asked; its known models are in `entries` all the same. */
  readonly problems: ReadonlyMap<string, string>;
}

/** All models that can be reached, of all providers. */
export interface ModelCatalogue {
  /** What is known now; makes no request. */
  known(): readonly CatalogueEntry[];
  /** Asks every provider that is ready; what was heard within the hour is not asked for again unless `isFresh`. Never rejects. */
  list(options?: { readonly isFresh?: boolean; readonly signal?: AbortSignal }): Promise<CatalogueListing>;
  /**
   * What a person's word for a model stands for: an id, `provider/id`, or an alias (`opus`, `sonnet`, `gpt`, …: the newest of
   * its kind that is not retiring). Throws `UserFacing` that names near ones.
   */
  resolve(word: string, provider?: string): { readonly provider: string; readonly model: string };
}

export class KnownModels implements ModelCatalogue {
  readonly #providers: () => readonly ModelProvider[];

  constructor(providers: () => readonly ModelProvider[]) {
    this.#providers = providers;
  }

  known(): readonly CatalogueEntry[] {
    return this.#providers().flatMap(({ id, label, defaultModel, models }) =>
      models().map((model) => ({
        provider: id,
        providerLabel: label,
        model,
        source: 'known' as const,
        isDefault: model.id === defaultModel,
      })),
    );
  }

  list(): Promise<CatalogueListing> {
    return Promise.resolve({ entries: this.known(), problems: new Map() });
  }

  resolve(word: string, provider?: string): { readonly provider: string; readonly model: string } {
    const found = this.known().find(
      (entry) => entry.model.id === word && (provider ?? entry.provider) === entry.provider,
    );
    if (found === undefined) throw new UserFacing(`There is no model ${word}.`);
    return { provider: found.provider, model: found.model.id };
  }
}
