/** Prices of calls. An unknown price is reported as unknown, and never treated as zero. */
import * as z from 'zod';
import { UserFacing } from '../base/errors.ts';
import { matchesGlob } from '../base/glob.ts';
import { undatedId } from './catalogue.ts';
import { knownPrices, searchUsd, type Price } from './knownModels.ts';
import {
  contextTokens,
  sumOf,
  type ModelDescription,
  type ModelReply,
  type Usage,
} from './model.ts';

/**
 * Cost of one call in US dollars, or why the cost is unknown. `isPlan`: a subscription covers the
 * call, and `usd` is only its list price.
 */
export type Cost = { readonly usd: number; readonly isPlan?: true } | { readonly unknown: string };

/**
 * Prices by `provider/model`. `*` matches any text; the longest matching key wins. An id with a
 * release date or `-latest` has the price of the id without that suffix, unless the table has a
 * separate price.
 */
export type PriceTable = Readonly<Record<string, Price>>;

/** A model of the catalogue. */
export interface PricedEntry {
  readonly provider: string;
  readonly model: Pick<ModelDescription, 'id' | 'price'>;
}

/**
 * Returns the prices for Bedrock: Anthropic's prices, plus 10 % if the data must stay in a region.
 */
function bedrockPrices(): PriceTable {
  const claude = Object.entries(known).filter(([key]) => key.startsWith('claude/'));
  const prices = claude.flatMap(([key, price]) => {
    const id = key.replace('claude/', 'anthropic.');
    const regional = scaled(price, 1.1);
    return [id, `${id}-v*`, `${id}-20*`].flatMap((name) => [
      [`bedrock/global.${name}`, price] as const,
      [`bedrock/*${name}`, regional] as const,
    ]);
  });
  return Object.fromEntries(prices);
}

const scaled = ({ input, cacheRead, cacheWrite, output, long }: Price, factor: number): Price => ({
  input: input * factor,
  cacheRead: cacheRead * factor,
  cacheWrite: cacheWrite * factor,
  output: output * factor,
  ...(long && { long }),
});

const known = knownPrices();

export const listPrices: PriceTable = { ...known, ...bedrockPrices() };

const dollars = z.number().nonnegative().finite();
/** Schema of the model prices setting, in US dollars per million tokens. */
export const priceSchema = z.record(
  z
    .string()
    .regex(
      /^[^/]+\/.+$/,
      'a key must be provider/model, such as "compatible/*" or "openai/gpt-5.4"',
    ),
  z.strictObject({
    input: dollars.describe('Uncached input.'),
    output: dollars.describe('Output.'),
    cacheRead: dollars.optional().describe('Input read from the cache.'),
    cacheWrite: dollars.optional().describe('Input written to the cache.'),
  }),
);

/**
 * Returns the table with the prices of a setting, which override all entries that they match: `{
 * "compatible/my-model": { "input": 0.2, "output": 0.8 } }`, in US dollars per million tokens.
 * Cached tokens default to the input price. Throws `UserFacing`.
 */
export function extendPrices(table: PriceTable, fromSetting: unknown): PriceTable {
  const parsed = priceSchema.safeParse(fromSetting ?? {});
  if (!parsed.success)
    throw new UserFacing(
      `The model prices setting is invalid:\n${z.prettifyError(parsed.error)}`,
      'Write { "provider/model": { "input": 2.5, "output": 15 } }, in US dollars per million tokens.',
    );
  const overrides = Object.entries(parsed.data).map(
    ([key, { input, output, cacheRead = input, cacheWrite = input }]): [string, Price] => [
      key,
      { input, output, cacheRead, cacheWrite },
    ],
  );
  if (overrides.length === 0) return table;
  const isReplaced = (key: string): boolean =>
    overrides.some(([mine]) => matchesGlob(key, mine) || matchesGlob(undatedId(key), mine));
  const others = Object.entries(table).filter(([key]) => !isReplaced(key));
  return Object.fromEntries([...others, ...overrides]);
}

/** Returns the table overridden with the prices that providers report for their models. */
export function withToldPrices(table: PriceTable, entries: readonly PricedEntry[]): PriceTable {
  const reportedPrices = entries.flatMap(
    ({ provider, model: { id, price } }): [string, Price][] => {
      if (price === undefined) return [];
      const key = `${provider}/${id}`;
      const { input } = price;
      return [[key, { ...table[key], cacheRead: input, cacheWrite: input, ...price }]];
    },
  );
  return { ...table, ...Object.fromEntries(reportedPrices) };
}

export function costOf(
  provider: string,
  model: string,
  usage: Usage,
  table: PriceTable = listPrices,
): Cost {
  const price = priceOf(provider, model, table);
  return price === undefined ? unknownPrice(provider, model) : { usd: usdOf(price, usage) };
}

/**
 * Returns the most that the next call can cost. Assumes that nothing is read from the cache, that
 * all input has the price of uncached input or of cache writes, whichever is higher, and that the
 * reply has its maximum length. `contextTokens` is the size of the request.
 */
export function worstCaseUsd(
  provider: string,
  model: string,
  next: { readonly contextTokens: number; readonly maxOutputTokens: number },
  table: PriceTable = listPrices,
): Cost {
  const price = priceOf(provider, model, table);
  if (price === undefined) return unknownPrice(provider, model);
  const all = {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: next.maxOutputTokens,
  };
  const dearest = price.cacheWrite > price.input ? 'cacheWriteTokens' : 'inputTokens';
  return { usd: usdOf(price, { ...all, [dearest]: next.contextTokens }) };
}

/** Adds the list price of the web searches that a call made to the cost of the call. */
export const withSearches = (cost: Cost, provider: string, searches: number): Cost =>
  'usd' in cost ? { ...cost, usd: cost.usd + searches * (searchUsd[provider] ?? 0) } : cost;

/**
 * Returns all billed tokens of a reply: those of the reply and those of the attempts that failed
 * before.
 */
export const billedUsage = ({
  usage,
  discardedUsage,
}: Pick<ModelReply, 'usage' | 'discardedUsage'>): Usage =>
  discardedUsage === undefined ? usage : sumOf(usage, discardedUsage);

const perToken = 1e-6;

function usdOf({ input, cacheRead, cacheWrite, output, long }: Price, usage: Usage): number {
  const isLong = long !== undefined && contextTokens(usage) > long.contextTokens;
  const inputUsd =
    usage.inputTokens * input +
    usage.cacheReadTokens * cacheRead +
    usage.cacheWriteTokens * cacheWrite;
  const outputUsd = usage.outputTokens * output;
  return (
    perToken *
    (inputUsd * (isLong ? long.inputFactor : 1) + outputUsd * (isLong ? long.outputFactor : 1))
  );
}

const unknownPrice = (provider: string, model: string): Cost => ({
  unknown: `There is no price for ${provider}/${model}. Add one in the model prices setting.`,
});

/**
 * Providers that share another provider's models and list prices. With a plan, the list price is
 * what a call would cost without the plan.
 */
const pricedAs: Readonly<Record<string, string>> = { chatgpt: 'openai', 'claude-cli': 'claude' };

/**
 * Returns the price of a model; `undefined` if it is unknown. Prefers a price that is set for the
 * provider itself.
 */
export function priceOf(provider: string, model: string, table: PriceTable): Price | undefined {
  const listed = pricedAs[provider];
  return (
    ownPriceOf(provider, model, table) ??
    (listed === undefined ? undefined : ownPriceOf(listed, model, table))
  );
}

function ownPriceOf(provider: string, model: string, table: PriceTable): Price | undefined {
  const [exact, undated] = [`${provider}/${model}`, `${provider}/${undatedId(model)}`];
  const [key] = Object.keys(table)
    .filter((candidate) => matchesGlob(exact, candidate) || matchesGlob(undated, candidate))
    .sort((one, other) => other.length - one.length);
  return key === undefined ? undefined : table[key];
}
