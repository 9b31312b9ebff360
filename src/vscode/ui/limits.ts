/** Limits in the form of the settings. */
import type { Budget, Limits } from '../../agent/journal/events.ts';

/** 0 means no limit. */
export type SetLimits = Readonly<Record<keyof Limits, number>>;

/** The budget that the settings suggest for a goal. */
export function budgetOf(goal: SetLimits, experiment: SetLimits): Budget {
  const allowance = limitsOf(experiment);
  return { ...limitsOf(goal), ...(Object.keys(allowance).length > 0 && { experiment: allowance }) };
}

const limitsOf = ({ usd, tokens, minutes, turns }: SetLimits): Limits => ({
  ...(usd > 0 && { usd }),
  ...(tokens > 0 && { tokens: Math.ceil(tokens) }),
  ...(minutes > 0 && { minutes }),
  ...(turns > 0 && { turns: Math.ceil(turns) }),
});
