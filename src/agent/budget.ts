/** Limits are checked here and nowhere else, before the call that costs money. */
import { formatUsd } from '../base/text.ts';
import type { SessionState } from './state.ts';

/** What is used up, in words; `undefined` while the next call may be made. */
export function exhausted(state: SessionState, nowMs: number): string | undefined {
  const { turns, usd, minutes } = state.budget;
  if (turns !== undefined && state.turns >= turns) return `the limit of ${turns} turns is reached`;
  if (usd !== undefined && state.usd >= usd) return `the limit of ${formatUsd(usd)} is reached`;
  const end = budgetEndMs(state);
  if (end !== undefined && nowMs >= end) return `the limit of ${minutes} minutes is reached`;
  return undefined;
}

/** When the minutes are over, in milliseconds since the epoch. */
export const budgetEndMs = (state: SessionState): number | undefined =>
  state.budget.minutes === undefined ? undefined : state.startedMs + state.budget.minutes * 60_000;
