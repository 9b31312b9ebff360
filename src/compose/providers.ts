/** The built-in model providers, and where their API keys come from. */
export {
  keySources,
  providerNames,
  providers,
  type KeySource,
  type ProviderName,
} from '../models/providerList.ts';
