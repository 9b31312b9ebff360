/** What a session cost, in words and as a bill. */
export { billText, costLines, cacheShare, experimentCostLine } from '../agent/budget/costs.ts';
