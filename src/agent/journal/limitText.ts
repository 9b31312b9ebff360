/** Texts for limits: `$5 · 2 h · 40 turns · $0.50 per experiment`. */
import { counted, formatUsd } from '../../base/text.ts';
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

/** Formats tokens rounded to three digits: `1.23M`, `45.2k`, `812`. */
export function shortTokens(tokens: number): string {
  if (tokens < 999.5) return String(Math.round(tokens));
  const [size, unit] = tokens < 999_500 ? [1e3, 'k'] : [1e6, 'M'];
  return `${Number((tokens / size).toPrecision(3))}${unit}`;
}

/**
 * Formats how much of a limit is used: `$4.02 of $5.00`, `1.2M of 2M tokens`, `80 of 120 min`, `32
 * of 40 turns`.
 */
export function usedText({ limit, used, of }: Pick<BudgetNotice, 'limit' | 'used' | 'of'>): string {
  switch (limit) {
    case 'usd':
      return `${formatUsd(used)} of ${formatUsd(of)}`;
    case 'tokens':
      return `${shortTokens(used)} of ${shortTokens(of)} tokens`;
    case 'minutes':
      return `${Math.floor(used)} of ${Number(of.toFixed(1))} min`;
    case 'turns':
      return `${used} of ${of} turns`;
  }
}

/** Formats what a limit covers: `of the goal`, `of the day`, `of this experiment`. */
export const scopeText = (scope: BudgetScope): string =>
  scope === 'experiment' ? 'of this experiment' : `of the ${scope}`;

export const limitName = (limit: keyof Limits): string => (limit === 'usd' ? 'money' : limit);

/** Formats a notice: `80 % of the money of the goal is used: $4.02 of $5.00`. */
export function noticeText(notice: BudgetNotice): string {
  const { scope, limit, percent } = notice;
  const verb = limit === 'usd' ? 'is' : 'are';
  const share = percent === 100 ? 'all' : `${percent} %`;
  return `${share} of the ${limitName(limit)} ${scopeText(scope)} ${verb} used: ${usedText(notice)}`;
}
