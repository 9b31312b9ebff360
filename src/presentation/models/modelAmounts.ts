/** Prices of models as text. */
import { formatUsd } from '../../base/text.ts';
import { noUsage } from '../../models/model.ts';
import { costOf, type PriceTable } from '../../models/prices.ts';

/**
 * Returns the prices per million tokens in US dollars as text; `undefined` for an unknown price.
 */
export function pricesText(
  provider: string,
  model: string,
  prices: PriceTable,
): { readonly input: string; readonly output: string } | undefined {
  // Use only 1000 tokens, so that the surcharge for a long context does not apply.
  const input = costOf(provider, model, { ...noUsage, inputTokens: 1000 }, prices);
  const output = costOf(provider, model, { ...noUsage, outputTokens: 1000 }, prices);
  if ('unknown' in input || 'unknown' in output) return undefined;
  return { input: formatUsd(input.usd * 1000), output: formatUsd(output.usd * 1000) };
}
