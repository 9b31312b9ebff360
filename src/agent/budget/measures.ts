/**
 * Lists all limits with how much of each is used. Only this module decides whether a limit is used
 * up.
 */
import type { Spent } from '../contract/budget.ts';
import type { Budget, BudgetScope, Limits } from '../journal/events.ts';
import type { Allowance, SessionState } from '../journal/state.ts';

/** Limits per calendar day for all sessions of a home together. */
export type DayLimits = Pick<Limits, 'usd' | 'tokens'>;

export const nothingSpent: Spent = { usd: 0, tokens: 0, hasUnknownCost: false };

/** A limit and its use. `used` and `of` (the limit) are in dollars, tokens, minutes or turns. */
export interface Measure {
  readonly scope: BudgetScope;
  readonly limit: keyof Limits;
  readonly used: number;
  readonly of: number;
}

export interface Spendable {
  readonly state: SessionState;
  readonly dayLimits?: DayLimits | undefined;
  /** Today's spending of all sessions; used only when there are limits per day. */
  readonly today: Spent;
  /**
   * Spending of the sessions that this session started, which counts towards the limits of this
   * session's goal. Default: none.
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
 * Returns the limits that are set, each with how much of it is used: those of the goal, then those
 * of the day, then those of the current experiment. Before the first launch, no limits of an
 * experiment apply.
 */
export function measuresOf({
  state,
  dayLimits = {},
  today,
  children = nothingSpent,
  nowMs,
}: Spendable): Measure[] {
  const { usd, turns, inputTokens, outputTokens, startedMs, restMs = 0, phase, end } = state;
  // The time between the end of a session and its continuation does not count.
  const atMs = phase === 'ended' ? (end?.atMs ?? nowMs) : nowMs;
  const goal = {
    usd: usd + children.usd,
    tokens: inputTokens + outputTokens + children.tokens,
    minutes: (atMs - startedMs - restMs) / minuteMs,
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
          minutes: (atMs - experiment.startedMs) / minuteMs,
        })),
  ];
}

const measured = (scope: BudgetScope, limits: Limits, used: Required<Limits>): Measure[] =>
  limitNames.flatMap((limit) => {
    const of = limits[limit];
    return of === undefined ? [] : [{ scope, limit, used: used[limit], of }];
  });

/** Returns the allowance of the current experiment; `undefined` before the first launch. */
export function currentAllowance({ allowances }: SessionState): Allowance | undefined {
  const last = allowances.at(-1);
  return last === undefined || last.runIds.length === 0 ? undefined : last;
}

export const isUsedUp = ({ used, of }: Measure): boolean => used >= of;

/**
 * True for a limit of the goal or the day: the session ends when the limit is used up. When a limit
 * of an experiment is used up, the model has to launch the next experiment.
 */
export const isHard = ({ scope }: Measure): boolean => scope !== 'experiment';

/**
 * Returns the time at which the minutes of the goal are used up, in milliseconds since the epoch;
 * `undefined` when the goal has no such limit.
 */
export const budgetEndMs = ({ budget, startedMs, restMs = 0 }: SessionState): number | undefined =>
  budget.minutes === undefined
    ? undefined
    : Math.ceil(startedMs + restMs + budget.minutes * minuteMs);

/**
 * Returns the latest time at which a sleep must end, with the reason: when the minutes of the goal
 * or of the experiment are used up, whichever is first. Ignores the minutes of the experiment once
 * the model was notified that a limit of the experiment is used up.
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

/** Returns whether any limit is in dollars: the price of the model must then be known. */
export const limitsMoney = (budget: Budget, day: DayLimits = {}): boolean =>
  budget.usd !== undefined || budget.experiment?.usd !== undefined || day.usd !== undefined;

/** Returns the last midnight before `ms`, in the computer's time zone. */
export const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);
