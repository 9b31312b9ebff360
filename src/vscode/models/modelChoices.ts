/** The models that can be selected, with their context sizes and prices. */
import type { ModelDescription, ModelProvider } from '../../models/model.ts';
import type { PriceTable } from '../../models/prices.ts';
import { extendPrices, listPrices } from '../../compose/prices.ts';
import { pricesText } from '../../presentation/models/modelAmounts.ts';
import { formatTokens } from '../../base/text.ts';

export interface ModelChoice {
  readonly provider: string;
  readonly providerLabel: string;
  readonly model: ModelDescription;
  /** Whether the provider is ready. False while its API key or sign-in is missing. */
  readonly isReady: boolean;
  /** Whether the settings select this model. */
  readonly isConfigured: boolean;
}

export interface ChoiceInputs {
  readonly providers: readonly Pick<ModelProvider, 'id' | 'label' | 'defaultModel' | 'models'>[];
  readonly configured: { readonly provider: string; readonly model?: string };
  /** Ids of the providers that are ready: an API key or a sign-in is present or not needed. */
  readonly ready: ReadonlySet<string>;
}

/**
 * Returns the models in the order in which “Select Model” lists them: the configured model, models
 * of ready providers, models of the configured provider if it is not ready, and the demo. Omits the
 * models of all other providers that are not ready.
 */
export function modelChoices({
  providers,
  configured,
  ready,
}: ChoiceInputs): readonly ModelChoice[] {
  return providers
    .flatMap((provider) => {
      const namedModel =
        provider.id === configured.provider
          ? (configured.model ?? provider.defaultModel)
          : undefined;
      return withNamed(provider.models(), namedModel).map((model) => ({
        provider: provider.id,
        providerLabel: provider.label,
        model,
        isReady: ready.has(provider.id),
        isConfigured: model.id === namedModel,
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
  namedModel: string | undefined,
): readonly ModelDescription[] =>
  namedModel === undefined || models.some(({ id }) => id === namedModel)
    ? models
    : [...models, unlisted(namedModel)];

/**
 * Describes a model that is not in the catalogue. Only the model's name is known, so the token
 * limits are conservative guesses.
 */
const unlisted = (id: string): ModelDescription => ({
  id,
  label: id,
  contextTokens: 32_768,
  maxOutputTokens: 8_192,
});

/** Returns, for example, `1M context · $5 in, $25 out per million tokens`. */
export function choiceDetail({ provider, model }: ModelChoice, prices: PriceTable): string {
  const context = `${formatTokens(model.contextTokens)} context`;
  if (provider === 'demo') return 'Works offline and without an API key, on the demo project';
  return `${context} · ${priceText(provider, model.id, prices)}`;
}

function priceText(provider: string, model: string, prices: PriceTable): string {
  const price = pricesText(provider, model, prices);
  return price === undefined
    ? 'price unknown'
    : `${price.input} in, ${price.output} out per million tokens`;
}

/**
 * Returns the built-in prices, extended or replaced by the prices in the setting `helios.prices`.
 * Ignores an invalid setting.
 */
export function priceTable(fromSetting: unknown): PriceTable {
  try {
    return extendPrices(listPrices, fromSetting);
  } catch {
    return listPrices;
  }
}
