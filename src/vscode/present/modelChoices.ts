/** The models that can be picked, with what they hold and cost. Pure: no `vscode` here. */
import type { ModelDescription, ModelProvider } from '../../models/model.ts';
import { noUsage } from '../../models/model.ts';
import { costOf, extendPrices, listPrices, type PriceTable } from '../../models/prices.ts';
import { formatUsd } from '../../base/text.ts';

export interface ModelChoice {
  readonly provider: string;
  readonly providerLabel: string;
  readonly model: ModelDescription;
  /** False: a key has to be set first. */
  readonly isReady: boolean;
  /** What the settings name. */
  readonly isConfigured: boolean;
}

export interface ChoiceInputs {
  readonly providers: readonly Pick<ModelProvider, 'id' | 'label' | 'defaultModel' | 'models'>[];
  readonly configured: { readonly provider: string; readonly model?: string };
  /** Ids of providers whose key is at hand, or that need none. */
  readonly ready: ReadonlySet<string>;
}

/**
 * The configured one first, then what has its key, the demo last: a new chat begins with the first. Providers without a
 * key are left out, unless the settings name them.
 */
export function modelChoices({ providers, configured, ready }: ChoiceInputs): readonly ModelChoice[] {
  return providers
    .flatMap((provider) => {
      const named = provider.id === configured.provider ? (configured.model ?? provider.defaultModel) : undefined;
      return withNamed(provider.models(), named).map((model) => ({
        provider: provider.id,
        providerLabel: provider.label,
        model,
        isReady: ready.has(provider.id),
        isConfigured: model.id === named,
      }));
    })
    .filter((choice) => choice.isReady || choice.provider === configured.provider)
    .sort((a, b) => rank(a) - rank(b));
}

function rank(choice: ModelChoice): number {
  if (choice.isConfigured) return 0;
  if (choice.provider === 'demo') return 3;
  return choice.isReady ? 1 : 2;
}

const withNamed = (models: readonly ModelDescription[], named: string | undefined): readonly ModelDescription[] =>
  named === undefined || models.some(({ id }) => id === named) ? models : [...models, unlisted(named)];

/** Of a model that is not in the catalogue, only the name is known; the sizes are a cautious guess. */
const unlisted = (id: string): ModelDescription => ({ id, label: id, contextTokens: 32_768, maxOutputTokens: 8_192 });

/** `1M context · $5 in, $25 out per million tokens`. */
export function choiceDetail({ provider, model }: ModelChoice, prices: PriceTable): string {
  const context = `${tokensText(model.contextTokens)} context`;
  if (provider === 'demo') return 'Works without a key and without a network, on the demo project';
  return `${context} · ${priceText(provider, model.id, prices)}`;
}

function priceText(provider: string, model: string, prices: PriceTable): string {
  // A thousand tokens, so that no surcharge for a long context is met.
  const input = costOf(provider, model, { ...noUsage, inputTokens: 1000 }, prices);
  const output = costOf(provider, model, { ...noUsage, outputTokens: 1000 }, prices);
  if ('unknown' in input || 'unknown' in output) return 'price not known';
  return `${dollars(input.usd * 1000)} in, ${dollars(output.usd * 1000)} out per million tokens`;
}

const dollars = (usd: number): string => (usd >= 0.01 ? `$${usd.toFixed(2)}` : formatUsd(usd));

export const tokensText = (tokens: number): string =>
  tokens >= 1_000_000 ? `${Number((tokens / 1_000_000).toFixed(2))}M` : `${Math.round(tokens / 1000)}K`;

/** The built-in prices with those of the setting; a setting that is wrong counts for nothing here. */
export function priceTable(fromSetting: unknown): PriceTable {
  try {
    return extendPrices(listPrices, fromSetting);
  } catch {
    return listPrices;
  }
}
