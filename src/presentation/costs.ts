/** The costs of a session, as text and as a bill. */
export { billText, costLines, cacheShare, experimentCostLine } from '../agent/budget/costs.ts';
