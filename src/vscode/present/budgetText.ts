/** A budget as people write and read it: `$5 · 2 h · 40 turns`. */
import type { Budget } from '../../agent/events.ts';

export type ParsedBudget =
  { readonly ok: true; readonly budget: Budget } | { readonly ok: false; readonly problem: string };

const part = /^(\$)?\s*(\d+(?:\.\d+)?)\s*([a-z$]*)$/i;
const units: Readonly<Record<string, (amount: number) => Budget>> = {
  $: (usd) => ({ usd }),
  usd: (usd) => ({ usd }),
  m: (minutes) => ({ minutes }),
  min: (minutes) => ({ minutes }),
  minutes: (minutes) => ({ minutes }),
  h: (hours) => ({ minutes: hours * 60 }),
  hours: (hours) => ({ minutes: hours * 60 }),
  d: (days) => ({ minutes: days * 1440 }),
  days: (days) => ({ minutes: days * 1440 }),
  turns: (turns) => ({ turns }),
};
const shape = 'Write it like $5, 2 h, 40 turns: any of the three, or nothing for no limit.';

/** Reads `$5, 2 h, 40 turns` in any order; parts that are absent do not limit. Empty text or `none`: no limit. */
export function parseBudget(text: string): ParsedBudget {
  const trimmed = text.trim();
  if (trimmed === '' || /^(none|no limit)$/i.test(trimmed)) return { ok: true, budget: {} };
  let budget: Budget = {};
  for (const piece of trimmed.split(/\s*[,;·]\s*/).filter((each) => each !== '')) {
    const limit = parsePart(piece);
    if (limit === undefined) return { ok: false, problem: `“${piece}” is no limit. ${shape}` };
    const [key = ''] = Object.keys(limit);
    if (key in budget) return { ok: false, problem: `“${piece}” names the same limit twice.` };
    budget = { ...budget, ...limit };
  }
  if (budget.turns !== undefined && !Number.isInteger(budget.turns))
    return { ok: false, problem: 'Turns are counted in whole numbers.' };
  return { ok: true, budget };
}

function parsePart(piece: string): Budget | undefined {
  const match = part.exec(piece);
  if (match === null) return undefined;
  const [, dollar, number = '', word = ''] = match;
  const amount = Number(number);
  if (!(amount > 0) || (dollar !== undefined && word !== '')) return undefined;
  const unit = dollar ?? word.toLowerCase();
  const read = units[unit] ?? units[`${unit}s`];
  return read?.(amount);
}

export function budgetText(budget: Budget, separator = ' · '): string {
  const parts = [
    budget.usd === undefined ? '' : `$${budget.usd}`,
    budget.minutes === undefined ? '' : minutesText(budget.minutes),
    budget.turns === undefined ? '' : `${budget.turns} turns`,
  ].filter((each) => each !== '');
  return parts.length === 0 ? 'no limit' : parts.join(separator);
}

const minutesText = (minutes: number): string =>
  minutes >= 60 && minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;

/** The budget that the settings suggest: 0 there means no limit. */
export function budgetOf(limits: { readonly usd: number; readonly minutes: number; readonly turns: number }): Budget {
  return {
    ...(limits.usd > 0 && { usd: limits.usd }),
    ...(limits.minutes > 0 && { minutes: limits.minutes }),
    ...(limits.turns > 0 && { turns: Math.ceil(limits.turns) }),
  };
}
