/** All limits in one list with their use. The only place that decides what is used up. */
import type { Spent } from '../contract/budget.ts';
import type { Budget, BudgetScope, Limits } from '../journal/events.ts';
import type { Allowance, SessionState } from '../journal/state.ts';

/** Limits of one day, for all sessions of a home together. */
export type DayLimits = Pick<Limits, 'usd' | 'tokens'>;

export const nothingSpent: Spent = { usd: 0, tokens: 0, hasUnknownCost: false };

/** A limit. `used` and `of` are in its unit: dollars, tokens, minutes or turns. */
export interface Measure {
  readonly scope: BudgetScope;
  readonly limit: keyof Limits;
  readonly used: number;
  readonly of: number;
}

export interface Spendable {
  readonly state: SessionState;
  readonly dayLimits?: DayLimits | undefined;
  /** Only read when the day has limits. */
  readonly today: Spent;
  /**
   * Spending of the sessions that this one started, which counts towards its goal. Default: none.
   */
  readonly children?: Spent;
  readonly nowMs: number;
}

const limitNames = [
  'usd',
  'tokens',
  'minutes',
  'turns',
] as const satisfies readonly (keyof Limits)[];
const minuteMs = 60_000;

/**
 * Returns the limits of the goal, then those of the day, then those of the experiment (none before
 * the first launch).
 */
export function measuresOf({
  state,
  dayLimits = {},
  today,
  children = nothingSpent,
  nowMs,
}: Spendable): Measure[] {
  const { usd, turns, inputTokens, outputTokens, startedMs } = state;
  const goal = {
    usd: usd + children.usd,
    tokens: inputTokens + outputTokens + children.tokens,
    minutes: (nowMs - startedMs) / minuteMs,
    turns,
  };
  const experiment = currentAllowance(state);
  return [
    ...measured('goal', state.budget, goal),
    ...measured('day', dayLimits, { ...today, minutes: 0, turns: 0 }),
    ...(experiment === undefined
      ? []
      : measured('experiment', state.budget.experiment ?? {}, {
          ...experiment,
          minutes: (nowMs - experiment.startedMs) / minuteMs,
        })),
  ];
}

const measured = (scope: BudgetScope, limits: Limits, used: Required<Limits>): Measure[] =>
  limitNames.flatMap((limit) => {
    const of = limits[limit];
    return of === undefined ? [] : [{ scope, limit, used: used[limit], of }];
  });

/** Returns `undefined` before the first launch. */
export function currentAllowance({ allowances }: SessionState): Allowance | undefined {
  const last = allowances.at(-1);
  return last === undefined || last.runIds.length === 0 ? undefined : last;
}

export const isUsedUp = ({ used, of }: Measure): boolean => used >= of;

/**
 * Returns whether the session cannot continue past the limit (goal and day). A used-up experiment
 * only makes way for the next.
 */
export const isHard = ({ scope }: Measure): boolean => scope !== 'experiment';

/** Returns when the minutes of the goal are used up, in milliseconds since the epoch. */
export const budgetEndMs = ({ budget, startedMs }: SessionState): number | undefined =>
  budget.minutes === undefined ? undefined : Math.ceil(startedMs + budget.minutes * minuteMs);

/**
 * Returns the latest end of a sleep: when the minutes of the goal, or for the first time those of
 * the experiment, are used up.
 */
export function budgetAlarm(
  state: SessionState,
): { readonly atMs: number; readonly what: string } | undefined {
  const goalMs = budgetEndMs(state) ?? Infinity;
  const experimentMs = experimentEndMs(state) ?? Infinity;
  if (Math.min(goalMs, experimentMs) === Infinity) return undefined;
  return goalMs <= experimentMs
    ? { atMs: goalMs, what: 'the minutes of the budget are used up' }
    : { atMs: experimentMs, what: 'the minutes of this experiment are used up' };
}

function experimentEndMs(state: SessionState): number | undefined {
  const minutes = state.budget.experiment?.minutes;
  const experiment = currentAllowance(state);
  if (minutes === undefined || experiment === undefined || experiment.overAtTurns !== undefined)
    return undefined;
  return Math.ceil(experiment.startedMs + minutes * minuteMs);
}

/** Returns whether money is limited anywhere, so that the price of the model must be known. */
export const limitsMoney = (budget: Budget, day: DayLimits = {}): boolean =>
  budget.usd !== undefined || budget.experiment?.usd !== undefined || day.usd !== undefined;

/** Returns midnight before `ms` in the computer's time zone. */
export const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);
