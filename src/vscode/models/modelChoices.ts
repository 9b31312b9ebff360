/** The models that can be selected, with their context sizes and prices. */
import type { ModelDescription, ModelProvider } from '../../models/model.ts';
import type { PriceTable } from '../../models/prices.ts';
import { extendPrices, listPrices } from '../../compose/prices.ts';
import { pricesText, tokensText } from '../../presentation/models/modelAmounts.ts';

export interface ModelChoice {
  readonly provider: string;
  readonly providerLabel: string;
  readonly model: ModelDescription;
  /** Whether the model can be used. False while the provider's API key is missing. */
  readonly isReady: boolean;
  /** Whether the settings select this model. */
  readonly isConfigured: boolean;
}

export interface ChoiceInputs {
  readonly providers: readonly Pick<ModelProvider, 'id' | 'label' | 'defaultModel' | 'models'>[];
  readonly configured: { readonly provider: string; readonly model?: string };
  /** Ids of the providers that have an API key or need none. */
  readonly ready: ReadonlySet<string>;
}

/**
 * Returns the models in the order of the model picker; a new chat starts with the first. The
 * configured model comes first, then models that have their key, and the demo last. Providers
 * without a key are omitted unless the settings select them.
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
 * Describes a model that is not in the catalogue. Only its name is known, so its sizes are cautious
 * guesses.
 */
const unlisted = (id: string): ModelDescription => ({
  id,
  label: id,
  contextTokens: 32_768,
  maxOutputTokens: 8_192,
});

/** Returns, for example, `1M context · $5 in, $25 out per million tokens`. */
export function choiceDetail({ provider, model }: ModelChoice, prices: PriceTable): string {
  const context = `${tokensText(model.contextTokens)} context`;
  if (provider === 'demo') return 'Works offline and without an API key, on the demo project';
  return `${context} · ${priceText(provider, model.id, prices)}`;
}

function priceText(provider: string, model: string, prices: PriceTable): string {
  const price = pricesText(provider, model, prices);
  return price === undefined
    ? 'price unknown'
    : `${price.input} in, ${price.output} out per million tokens`;
}

/** Returns the built-in prices with those of the setting added. An invalid setting is ignored. */
export function priceTable(fromSetting: unknown): PriceTable {
  try {
    return extendPrices(listPrices, fromSetting);
  } catch {
    return listPrices;
  }
}
