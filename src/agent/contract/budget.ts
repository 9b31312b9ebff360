/** What calls to models came to. */
export interface Spent {
  readonly usd: number;
  /** Input, cached or not, and output. */
  readonly tokens: number;
  /** True when a call was made whose price is not known: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
}
