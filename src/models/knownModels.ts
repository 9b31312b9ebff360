/**
 * Models that providers are known to have, read from `catalogue.json`. There, `npm run prices`
 * updates `listed` from a public list; `own` is written by hand and overrides `listed` field by
 * field.
 */
import catalogue from './catalogue.json' with { type: 'json' };
import type { Effort } from './effort.ts';
import type { ModelDescription } from './model.ts';

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** Factors by which the prices increase for calls whose context exceeds `contextTokens`. */
  readonly long?: {
    readonly contextTokens: number;
    readonly inputFactor: number;
    readonly outputFactor: number;
  };
}

/** A model without a label has a price, but is not offered. */
interface KnownModel extends Partial<Omit<ModelDescription, 'id' | 'efforts' | 'price'>> {
  readonly price?: Omit<Price, 'long'>;
  readonly long?: Price['long'];
}

type Models = Readonly<Record<string, Readonly<Record<string, KnownModel>>>>;

const listed: Models = catalogue.listed;
const own: Models = catalogue.own;

/**
 * US dollars per web search by each provider, in addition to the tokens. If a provider's price
 * depends on the model, this is its highest price.
 */
export const searchUsd: Readonly<Record<string, number>> = catalogue.searchUsd;

function knownModels(provider: string): readonly (readonly [id: string, KnownModel])[] {
  const ids = Object.keys({ ...listed[provider], ...own[provider] });
  return ids.map((id) => [id, { ...listed[provider]?.[id], ...own[provider]?.[id] }]);
}

/** Returns the models of the provider that are offered, in the order of the file. */
export const describedModels = (
  provider: string,
  effortsOf: (id: string) => readonly Effort[],
): readonly ModelDescription[] =>
  knownModels(provider).flatMap(
    ([id, { label, contextTokens, maxOutputTokens, isRetiring, acceptsImages }]) =>
      label === undefined || contextTokens === undefined || maxOutputTokens === undefined
        ? []
        : {
            id,
            label,
            contextTokens,
            maxOutputTokens,
            efforts: effortsOf(id),
            ...(isRetiring && { isRetiring }),
            ...(acceptsImages !== undefined && { acceptsImages }),
          },
  );

/** Returns the prices of all providers; keys are `provider/model`. */
export const knownPrices = (): Readonly<Record<string, Price>> =>
  Object.fromEntries(
    Object.keys({ ...listed, ...own }).flatMap((provider) =>
      knownModels(provider).flatMap(([id, { price, long }]) =>
        price ? [[`${provider}/${id}`, { ...price, ...(long && { long }) }]] : [],
      ),
    ),
  );
