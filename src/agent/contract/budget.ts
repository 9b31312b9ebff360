/** Total cost and tokens of calls to models. */
export interface Spent {
  readonly usd: number;
  /** Input tokens (cached or not) plus output tokens. */
  readonly tokens: number;
  /** True when the price of a call is unknown: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
}
