/** Context sizes and prices of models as text. */
import { formatUsd } from '../../base/text.ts';
import { noUsage } from '../../models/model.ts';
import { costOf, type PriceTable } from '../../models/prices.ts';

/** Formats a number of tokens: `1.05M`, `200K`. */
export const tokensText = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${Number((tokens / 1_000_000).toFixed(2))}M`
    : `${Math.round(tokens / 1000)}K`;

/**
 * Returns the prices per million tokens in US dollars as text; `undefined` for an unknown price.
 */
export function pricesText(
  provider: string,
  model: string,
  prices: PriceTable,
): { readonly input: string; readonly output: string } | undefined {
  // Computed from only 1000 tokens, so that the surcharge for a long context does not apply.
  const input = costOf(provider, model, { ...noUsage, inputTokens: 1000 }, prices);
  const output = costOf(provider, model, { ...noUsage, outputTokens: 1000 }, prices);
  if ('unknown' in input || 'unknown' in output) return undefined;
  return { input: dollars(input.usd * 1000), output: dollars(output.usd * 1000) };
}

const dollars = (usd: number): string => (usd >= 0.01 ? `$${usd.toFixed(2)}` : formatUsd(usd));
