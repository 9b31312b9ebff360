/** Prices of models, for use before an engine exists. */
export { extendPrices, listPrices } from '../models/prices.ts';
