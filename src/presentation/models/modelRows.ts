/** A list of models as table cells, for terminal and chat. */
import type { CatalogueEntry, CatalogueListing } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import { pricesText, tokensText } from './modelAmounts.ts';

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
      tokensText(model.contextTokens),
      tokensText(model.maxOutputTokens),
      price === undefined ? '?' : `${price.input} / ${price.output}`,
      notesOf(entry, problems.has(provider)),
    ];
  });
}

/**
 * Omits models that are only in the built-in list if their provider is not ready. If the user names
 * such a provider, its models are shown.
 */
export const withinReach = ({ entries, problems }: CatalogueListing): CatalogueListing => ({
  entries: entries.filter(({ provider, source }) => source === 'live' || !problems.has(provider)),
  problems,
});

function notesOf({ model, isDefault, source }: CatalogueEntry, isProblem: boolean): string {
  const notes = [
    isDefault && 'default',
    model.isRetiring === true && 'retiring',
    model.toolCalls === 'text' && 'tools by text',
    model.acceptsImages === false && 'no images',
    isProblem && source === 'known' && 'not asked',
    model.label !== model.id && model.label,
  ];
  return notes.filter((note) => note !== false).join(', ');
}

/** Returns a line per provider whose models could not be listed. */
export const problemLines = ({ problems }: CatalogueListing): readonly string[] =>
  [...problems].map(([provider, problem]) => `${provider}: ${problem}`);
