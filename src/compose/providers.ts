/** The built-in model providers, and where their API keys come from. */
import { declarationOf, providerIds } from '../models/providerList.ts';

export {
  keySources,
  providerNames,
  providers,
  type KeySource,
  type ProviderName,
} from '../models/providerList.ts';

/** Returns the page on which the user adds credit for a provider, if Helios knows it. */
export function billingUrlOf(provider: string): string | undefined {
  const id = providerIds.find((each) => each === provider);
  return id && declarationOf(id).billingUrl;
}
