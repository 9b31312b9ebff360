/**
 * Parses and formats limits, such as `$5 · 2 h · 40 turns · $0.50 per experiment`. All front ends
 * use this syntax.
 */
import type { DayLimits } from '../agent/budget/measures.ts';
import type { Budget, BudgetScope, Limits } from '../agent/journal/events.ts';

export {
  budgetText,
  leftText,
  limitsText,
  scopeText,
  usedText,
} from '../agent/journal/limitText.ts';
export { measuresOf, nothingSpent } from '../agent/budget/measures.ts';

export interface WrittenLimits {
  readonly budget: Budget;
  /** Limits that apply to all sessions of a day together. */
  readonly day: DayLimits;
}

export type ParsedLimits = { readonly ok: true; readonly limits: WrittenLimits } | Problem;
export type ParsedBudget = { readonly ok: true; readonly budget: Budget } | Problem;

interface Problem {
  readonly ok: false;
  readonly problem: string;
}

interface OneLimit {
  readonly scope: BudgetScope;
  readonly limit: keyof Limits;
  readonly amount: number;
}

const scopePart = /\s*(?:\bper|\ban|\ba|\beach|\/)\s*(goal|day|experiment)$/i;
const amountPart = /^(\$)?\s*(\d+(?:\.\d+)?)\s*([a-z$ ]*)$/i;
const units: Readonly<Record<string, readonly [keyof Limits, factor: number]>> = {
  $: ['usd', 1],
  usd: ['usd', 1],
  dollars: ['usd', 1],
  m: ['minutes', 1],
  min: ['minutes', 1],
  minutes: ['minutes', 1],
  h: ['minutes', 60],
  hours: ['minutes', 60],
  d: ['minutes', 1440],
  days: ['minutes', 1440],
  turns: ['turns', 1],
  tokens: ['tokens', 1],
  'k tokens': ['tokens', 1e3],
  'm tokens': ['tokens', 1e6],
};
const shape =
  'Use limits such as $5, 2 h, 40 turns, 2M tokens, $0.50 per experiment or $20 per day, or none.';

/**
 * Parses limits such as `$5, 2 h, $0.50 per experiment, $20 per day`, in any order. A limit that is
 * not mentioned does not apply; empty text or `none` means no limits at all. Amounts without `per
 * …` are limits per `scope`.
 */
export function parseLimits(text: string, scope: BudgetScope = 'goal'): ParsedLimits {
  const trimmed = text.trim();
  const limitsByScope: Record<BudgetScope, Limits> = { goal: {}, day: {}, experiment: {} };
  const isNone = /^(none|no limit)$/i.test(trimmed);
  for (const piece of isNone ? [] : trimmed.split(/\s*[,;·]\s*/).filter((each) => each !== '')) {
    const one = parsePart(piece, scope);
    if (typeof one === 'string') return { ok: false, problem: one };
    if (one.limit in limitsByScope[one.scope])
      return { ok: false, problem: `“${piece}” sets the same limit twice.` };
    limitsByScope[one.scope] = { ...limitsByScope[one.scope], [one.limit]: one.amount };
  }
  const { goal, day, experiment } = limitsByScope;
  return {
    ok: true,
    limits: { day, budget: { ...goal, ...(Object.keys(experiment).length > 0 && { experiment }) } },
  };
}

/**
 * Parses the limits of one goal. Returns an error for limits per day, which apply to all goals
 * together.
 */
export function parseBudget(text: string): ParsedBudget {
  const parsed = parseLimits(text);
  if (!parsed.ok) return parsed;
  if (Object.keys(parsed.limits.day).length > 0)
    return {
      ok: false,
      problem:
        'Limits per day apply to all goals. Set them in the settings helios.budget.day.usd and helios.budget.day.tokens.',
    };
  return { ok: true, budget: parsed.limits.budget };
}

/** Returns a single limit, or the error as text. */
function parsePart(piece: string, usual: BudgetScope): OneLimit | string {
  const named = scopePart.exec(piece);
  const scope = (named?.[1]?.toLowerCase() as BudgetScope | undefined) ?? usual;
  const parsed = parseAmount(named === null ? piece : piece.slice(0, named.index));
  if (parsed === undefined) return `“${piece}” is not a limit. ${shape}`;
  const { limit, amount } = parsed;
  if (scope === 'day' && !['usd', 'tokens'].includes(limit))
    return `“${piece}”: limits per day are in dollars or tokens.`;
  if (limit === 'turns' && !Number.isInteger(amount))
    return 'The number of turns must be a whole number.';
  if (limit === 'tokens' && !Number.isInteger(amount))
    return 'The number of tokens must be a whole number.';
  return { scope, limit, amount };
}

function parseAmount(text: string): Omit<OneLimit, 'scope'> | undefined {
  const match = amountPart.exec(text);
  if (match === null) return undefined;
  const [, dollar, number = '', word = ''] = match;
  if (!(Number(number) > 0) || (dollar !== undefined && word !== '')) return undefined;
  const unit = dollar ?? unitOf(word);
  const entry = units[unit] ?? units[`${unit}s`];
  if (entry === undefined) return undefined;
  const [limit, factor] = entry;
  // Token counts are rounded, because the product of floats may not be a whole number, for example
  // for 1.234M.
  const amount = Number(number) * factor;
  return { limit, amount: limit === 'tokens' ? Number(amount.toFixed(3)) : amount };
}

/**
 * Returns the unit in a uniform spelling: `2M tokens`, `2 M tokens` and `2m token` mean the same.
 */
const unitOf = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^([km])(?=tokens?$)/, '$1 ');
