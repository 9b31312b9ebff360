/** Folds paid calls into the spending of a session. */
import { contextTokens } from '../../models/model.ts';
import { changeAllowance } from './allowanceFold.ts';
import type { JournalEvent } from './events.ts';
import { withEntry } from './growing.ts';
import type { SessionState, Spending } from './state.ts';

type Paid = Pick<
  Extract<JournalEvent, { type: 'model.consulted' }>,
  'provider' | 'model' | 'usage' | 'cost'
>;

/** Adds the usage and the cost of a call. */
export function spent(state: SessionState, { provider, model, usage, cost }: Paid): SessionState {
  const usd = 'usd' in cost ? cost.usd : 0;
  const planUsd = 'isPlan' in cost ? usd : 0;
  const isUnknown = 'unknown' in cost;
  const inputTokens = contextTokens(usage);
  const tokens = inputTokens + usage.outputTokens;
  const key = `${provider}/${model}`;
  const before = state.spending.get(key) ?? { ...noSpending, provider, model };
  const sum: Spending = {
    ...before,
    calls: before.calls + 1,
    usd: before.usd + usd,
    planUsd: before.planUsd + planUsd,
    hasUnknownCost: before.hasUnknownCost || isUnknown,
    tokens: before.tokens + tokens,
    inputTokens: before.inputTokens + inputTokens,
    cacheReadTokens: before.cacheReadTokens + usage.cacheReadTokens,
  };
  return {
    ...changeAllowance(state, (last) => ({
      ...last,
      usd: last.usd + usd,
      tokens: last.tokens + tokens,
      hasUnknownCost: last.hasUnknownCost || isUnknown,
    })),
    usd: state.usd + usd,
    planUsd: state.planUsd + planUsd,
    hasUnknownCost: state.hasUnknownCost || isUnknown,
    inputTokens: state.inputTokens + inputTokens,
    outputTokens: state.outputTokens + usage.outputTokens,
    spending: withEntry(state.spending, key, sum),
  };
}

const noSpending = {
  calls: 0,
  usd: 0,
  planUsd: 0,
  hasUnknownCost: false,
  tokens: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
} as const;
