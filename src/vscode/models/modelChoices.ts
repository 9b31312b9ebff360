/** The models that can be picked, with what they hold and cost. */
import type { ModelDescription, ModelProvider } from '../../models/model.ts';
import type { PriceTable } from '../../models/prices.ts';
import { extendPrices, listPrices } from '../../compose/prices.ts';
import { pricesText, tokensText } from '../../presentation/models/modelAmounts.ts';

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
 * The configured one first, then what has its key, the demo last: a new chat begins with the first.
 * Providers without a key are left out, unless the settings name them.
 */
export function modelChoices({
  providers,
  configured,
  ready,
}: ChoiceInputs): readonly ModelChoice[] {
  return providers
    .flatMap((provider) => {
      const named =
        provider.id === configured.provider
          ? (configured.model ?? provider.defaultModel)
          : undefined;
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

const withNamed = (
  models: readonly ModelDescription[],
  named: string | undefined,
): readonly ModelDescription[] =>
  named === undefined || models.some(({ id }) => id === named)
    ? models
    : [...models, unlisted(named)];

/**
 * Of a model that is not in the catalogue, only the name is known; the sizes are a cautious guess.
 */
const unlisted = (id: string): ModelDescription => ({
  id,
  label: id,
  contextTokens: 32_768,
  maxOutputTokens: 8_192,
});

/** `1M context · $5 in, $25 out per million tokens`. */
export function choiceDetail({ provider, model }: ModelChoice, prices: PriceTable): string {
  const context = `${tokensText(model.contextTokens)} context`;
  if (provider === 'demo') return 'Works without a key and without a network, on the demo project';
  return `${context} · ${priceText(provider, model.id, prices)}`;
}

function priceText(provider: string, model: string, prices: PriceTable): string {
  const price = pricesText(provider, model, prices);
  return price === undefined
    ? 'price not known'
    : `${price.input} in, ${price.output} out per million tokens`;
}

/**
 * The built-in prices with those of the setting; a setting that is wrong counts for nothing here.
 */
export function priceTable(fromSetting: unknown): PriceTable {
  try {
    return extendPrices(listPrices, fromSetting);
  } catch {
    return listPrices;
  }
}
