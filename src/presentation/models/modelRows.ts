/** A list of models as table cells, for terminal and chat. */
import type { CatalogueEntry, CatalogueListing } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import { pricesText } from './modelAmounts.ts';
import { formatTokens } from '../../base/text.ts';

export const modelRowHeader = ['provider', 'model', 'context', 'output', 'price', 'notes'] as const;

/** Unit of the prices, shown once next to the table. */
export const priceUnit = 'Prices are US dollars per million tokens, input / output.';

/** Returns a row per model, in the order of `modelRowHeader`. */
export function modelRows(
  { entries, problems }: CatalogueListing,
  prices: PriceTable,
): readonly string[][] {
  return entries.map((entry) => {
    const { provider, model } = entry;
    const price = pricesText(provider, model.id, prices);
    return [
      provider,
      model.id,
      formatTokens(model.contextTokens),
      formatTokens(model.maxOutputTokens),
      price === undefined ? '?' : `${price.input} / ${price.output}`,
      notesOf(entry, problems.has(provider)),
    ];
  });
}

/**
 * Omits models that are known only from the built-in list if their provider could not be queried.
 * Callers that list a provider that the user named do not use this function.
 */
export const withinReach = ({ entries, problems }: CatalogueListing): CatalogueListing => ({
  entries: entries.filter(({ provider, source }) => source === 'live' || !problems.has(provider)),
  problems,
});

function notesOf({ model, isDefault, source }: CatalogueEntry, isProblem: boolean): string {
  const notes = [
    isDefault && 'default',
    model.isRetiring === true && 'retiring',
    model.toolCalls === 'text' && 'tool calls as text',
    model.acceptsImages === false && 'no images',
    isProblem && source === 'known' && 'not queried',
    model.label !== model.id && model.label,
  ];
  return notes.filter((note) => note !== false).join(', ');
}

/** Returns a line per provider whose models could not be listed. */
export const problemLines = ({ problems }: CatalogueListing): readonly string[] =>
  [...problems].map(([provider, problem]) => `${provider}: ${problem}`);
