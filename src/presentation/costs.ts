/** The costs of a session, as text and as a bill. */
export {
  billText,
  sessionBill,
  costLines,
  cacheShare,
  experimentCostLine,
} from '../agent/budget/costs.ts';
