/** Declares and parses the options that limit turns, cost, time and tokens. */
import { InvalidArgumentError, Option } from 'commander';
import type { DayLimits } from '../agent/budget/measures.ts';
import { parseLimits, type WrittenLimits } from '../presentation/limits.ts';
import type { Budget, BudgetScope, Limits } from '../agent/journal/events.ts';
import { positiveNumber, wholeNumber } from './values.ts';

/** The values of the limit options, as parsed by commander. */
export interface RawLimits {
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly maxMinutes?: number;
  readonly budgetTokens?: number;
  readonly budgetExperiment?: Limits;
  readonly budgetDay?: DayLimits;
}

export const limitOptions = (): Option[] => [
  new Option('--max-turns <n>', 'maximum number of turns').argParser(wholeNumber),
  new Option('--budget-usd <amount>', 'maximum cost of model calls in US dollars').argParser(
    positiveNumber,
  ),
  new Option('--budget-tokens <n>', 'maximum tokens of model calls: 2M, 500k, 80000').argParser(
    tokenCount,
  ),
  new Option('--max-minutes <minutes>', 'maximum duration in minutes').argParser(positiveNumber),
  new Option(
    '--budget-experiment <limits>',
    'limits of each experiment, such as "$0.50, 20 min, 8 turns"',
  ).argParser((text) => limitsOf(text, 'experiment').budget.experiment),
  new Option(
    '--budget-day <limits>',
    'limits of all sessions of a day together, such as "$20, 5M tokens"',
  ).argParser((text) => limitsOf(text, 'day').day),
];

export const budgetOf = ({
  maxTurns,
  budgetUsd,
  maxMinutes,
  budgetTokens,
  budgetExperiment,
}: RawLimits): Budget => ({
  ...(maxTurns !== undefined && { turns: maxTurns }),
  ...(budgetUsd !== undefined && { usd: budgetUsd }),
  ...(maxMinutes !== undefined && { minutes: maxMinutes }),
  ...(budgetTokens !== undefined && { tokens: budgetTokens }),
  ...(budgetExperiment !== undefined && { experiment: budgetExperiment }),
});

/**
 * Parses the text of a limit option. Throws `InvalidArgumentError` if the text contains no limit,
 * or a limit of another scope.
 */
function limitsOf(text: string, scope: Exclude<BudgetScope, 'goal'>): WrittenLimits {
  const parsed = parseLimits(text, scope);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.problem);
  const { day, budget } = parsed.limits;
  const { experiment = {}, ...goal } = budget;
  const counts = { goal, day, experiment };
  const others = (['goal', 'day', 'experiment'] as const).filter((one) => one !== scope);
  if (others.some((one) => Object.keys(counts[one]).length > 0))
    throw new InvalidArgumentError(`Only limits per ${scope} are allowed here.`);
  if (Object.keys(counts[scope]).length === 0) throw new InvalidArgumentError('Must not be empty.');
  return parsed.limits;
}

function tokenCount(text: string): number {
  const parsed = parseLimits(`${text} tokens`);
  const tokens = parsed.ok ? parsed.limits.budget.tokens : undefined;
  if (tokens === undefined)
    throw new InvalidArgumentError('Must be a number of tokens, such as 2M, 500k or 80000.');
  return tokens;
}
