/** Sizes and prices of models as text. */
import { formatUsd } from '../../base/text.ts';
import { noUsage } from '../../models/model.ts';
import { costOf, type PriceTable } from '../../models/prices.ts';

/** `1.05M`, `200K`. */
export const tokensText = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${Number((tokens / 1_000_000).toFixed(2))}M`
    : `${Math.round(tokens / 1000)}K`;

/** US dollars per million tokens, as text; `undefined` for an unknown price. */
export function pricesText(
  provider: string,
  model: string,
  prices: PriceTable,
): { readonly input: string; readonly output: string } | undefined {
  // A thousand tokens stay below the surcharge for a long context.
  const input = costOf(provider, model, { ...noUsage, inputTokens: 1000 }, prices);
  const output = costOf(provider, model, { ...noUsage, outputTokens: 1000 }, prices);
  if ('unknown' in input || 'unknown' in output) return undefined;
  return { input: dollars(input.usd * 1000), output: dollars(output.usd * 1000) };
}

const dollars = (usd: number): string => (usd >= 0.01 ? `$${usd.toFixed(2)}` : formatUsd(usd));
