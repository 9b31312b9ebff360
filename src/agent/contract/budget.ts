/** Spending of a day. */

/** What was spent on a day by all sessions of a home. */
export interface DaySpent {
  readonly usd: number;
  readonly tokens: number;
  /** True when a call was made whose price is not known: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
}
