/** The providers that there are, and where their keys come from. */
export {
  keySources,
  providerNames,
  providers,
  type KeySource,
  type ProviderName,
} from '../models/providerList.ts';
