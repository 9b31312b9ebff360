/** Prices of models before there is an engine. */
export { extendPrices, listPrices } from '../models/prices.ts';
