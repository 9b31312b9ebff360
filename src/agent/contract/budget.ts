/** Total of calls to models. */
export interface Spent {
  readonly usd: number;
  /** Input, cached or not, plus output. */
  readonly tokens: number;
  /** True when a call had an unknown price: `usd` is then a lower bound. */
  readonly hasUnknownCost: boolean;
}
