/** The built-in providers, and the sources of their keys. */
export {
  keySources,
  providerNames,
  providers,
  type KeySource,
  type ProviderName,
} from '../models/providerList.ts';
