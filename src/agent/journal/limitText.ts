/** Texts for limits: `$5 · 2 h · 40 turns · $0.50 per experiment`. */
import { counted, formatUsd, formatTokens } from '../../base/text.ts';
import type { Budget, BudgetScope, Limits, SessionEvent } from './events.ts';

export type BudgetNotice = Extract<SessionEvent, { type: 'budget.noticed' }>;

/** Formats a budget; returns `no limit` for a budget without limits. */
export function budgetText(budget: Budget, separator = ' · '): string {
  const parts = limitsText(budget);
  return parts.length === 0 ? 'no limit' : parts.join(separator);
}

/** Returns one text per limit, such as `$5`, `2 h`, `$0.50 per experiment`. */
export const limitsText = (budget: Budget): string[] => [
  ...limitParts(budget),
  ...limitParts(budget.experiment ?? {}).map((part) => `${part} per experiment`),
];

const limitParts = ({ usd, minutes, turns, tokens }: Limits): string[] => [
  ...(usd === undefined ? [] : [`$${usd}`]),
  ...(minutes === undefined ? [] : [minutesText(minutes)]),
  ...(turns === undefined ? [] : [counted(turns, 'turn')]),
  ...(tokens === undefined ? [] : [`${tokenText(tokens)} tokens`]),
];

const minutesText = (minutes: number): string =>
  minutes >= 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;

/** Formats tokens exactly: `2M`, `1.5M`, `123.456k`, `812`. */
const tokenText = (tokens: number): string =>
  tokens >= 1e6 && tokens % 1e3 === 0
    ? `${tokens / 1e6}M`
    : tokens >= 1e3
      ? `${tokens / 1e3}k`
      : `${tokens}`;

/**
 * Formats how much of a limit is used: `$4.02 of $5.00`, `1.2M of 2M tokens`, `80 of 120 min`, `32
 * of 40 turns`.
 */
export function usedText({ limit, used, of }: Pick<BudgetNotice, 'limit' | 'used' | 'of'>): string {
  switch (limit) {
    case 'usd':
      return `${formatUsd(used)} of ${formatUsd(of)}`;
    case 'tokens':
      return `${formatTokens(used)} of ${formatTokens(of)} tokens`;
    case 'minutes':
      return `${Math.floor(used)} of ${Number(of.toFixed(1))} min`;
    case 'turns':
      return `${used} of ${of} turns`;
  }
}

/**
 * Formats an amount of money, tokens, time or turns: `$4.02`, `1.2M tokens`, `80 min`, `1 turn`.
 */
export function amountText(limit: keyof Limits, amount: number): string {
  switch (limit) {
    case 'usd':
      return formatUsd(amount);
    case 'tokens':
      return `${formatTokens(amount)} tokens`;
    case 'minutes':
      return `${Math.floor(amount)} min`;
    case 'turns':
      return counted(amount, 'turn');
  }
}

/** Formats the remaining part of a limit: `24 % used, $3.80 left`. */
export const leftText = ({
  limit,
  used,
  of,
}: Pick<BudgetNotice, 'limit' | 'used' | 'of'>): string =>
  `${Math.floor((100 * used) / of)} % used, ${amountText(limit, Math.max(0, of - used))} left`;

/** Formats what a limit covers: `of the goal`, `of the day`, `of this experiment`. */
export const scopeText = (scope: BudgetScope): string =>
  scope === 'experiment' ? 'of this experiment' : `of the ${scope}`;

export const limitName = (limit: keyof Limits): string => (limit === 'usd' ? 'money' : limit);

/** Formats a notice: `at least 80 % of the money of the goal is used: $4.02 of $5.00`. */
export function noticeText(notice: BudgetNotice): string {
  const { scope, limit, percent } = notice;
  const verb = limit === 'usd' ? 'is' : 'are';
  const share = percent === 100 ? 'all' : `at least ${percent} %`;
  return `${share} of the ${limitName(limit)} ${scopeText(scope)} ${verb} used: ${usedText(notice)}`;
}
