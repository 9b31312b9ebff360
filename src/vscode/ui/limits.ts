/** Converts limits from the settings to a budget. */
import type { Budget, Limits } from '../../agent/journal/events.ts';

/** Limits from the settings, where 0 means no limit. */
export type SetLimits = Readonly<Record<keyof Limits, number>>;

/** Returns the budget of a goal, with the limits per experiment. */
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
