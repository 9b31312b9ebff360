/**
 * Costs of a session by model and by experiment, as numbers and as text. Derived from the session's
 * state.
 */
import { formatUsd, formatTokens } from '../../base/text.ts';
import type { RunId } from '../../base/ids.ts';
import type { ThinkingCost } from '../../experiments/ledger.ts';
import { costText } from '../journal/factText.ts';
import type { Allowance, SessionState, Spending } from '../journal/state.ts';

/**
 * Returns each run's share of the cost of model calls. The session's cost is divided into
 * allowances, each from one launch to the next. Runs launched in one turn, and the points of a
 * sweep, belong to one allowance and get equal shares. The shares of all runs plus `costBefore` add
 * up to the session's cost.
 */
export function costsByRun({
  allowances,
}: Pick<SessionState, 'allowances'>): ReadonlyMap<RunId, ThinkingCost> {
  return new Map(
    allowances.flatMap(({ runIds, usd, tokens, hasUnknownCost }) =>
      runIds.map((id): [RunId, ThinkingCost] => [
        id,
        { usd: usd / runIds.length, tokens: tokens / runIds.length, hasUnknownCost },
      ]),
    ),
  );
}

/** Returns the cost of the model calls before the first launch. */
export function costBefore({ allowances }: Pick<SessionState, 'allowances'>): ThinkingCost {
  const { usd = 0, tokens = 0, hasUnknownCost = false } = allowances[0] ?? {};
  return { usd, tokens, hasUnknownCost };
}

type Cost = Pick<ThinkingCost, 'usd' | 'hasUnknownCost'>;

/**
 * Formats a cost, with the part that the user's plan covers and that is therefore not billed:
 * `$1.20`, `$1.20 at list price, covered by your plan`, `$1.20, of which $0.40 at list price is
 * covered by your plan`.
 */
export function billText(cost: Cost & { readonly planUsd: number }): string {
  const words = costText(cost);
  if (cost.planUsd <= 0) return words;
  if (cost.planUsd >= cost.usd) return `${words} at list price, covered by your plan`;
  return `${words}, of which ${formatUsd(cost.planUsd)} at list price is covered by your plan`;
}

/**
 * Formats the cost of a session like `billText`; for a session of the scripted demo, says that it
 * costs nothing.
 */
export const sessionBill = (
  state: Pick<SessionState, 'provider' | 'usd' | 'planUsd' | 'hasUnknownCost'>,
): string => (state.provider === 'demo' ? '$0.00 (no model is called)' : billText(state));

/**
 * Returns the share of input tokens that the provider read from its cache, such as `84 %`;
 * `undefined` when there are no input tokens.
 */
export const cacheShare = ({ cacheReadTokens, inputTokens }: Spending): string | undefined =>
  inputTokens === 0 ? undefined : `${Math.round((100 * cacheReadTokens) / inputTokens)} %`;

/**
 * Formats the cost of one model: `claude/claude-opus-5-5: 32 calls · 1.2M tokens, 84 % of the input
 * from a cache · $1.20`.
 */
function modelCostLine(spending: Spending): string {
  const { provider, model, calls, tokens } = spending;
  const share = cacheShare(spending);
  const cached = share === undefined ? '' : `, ${share} of the input from a cache`;
  return `${provider}/${model}: ${calls} ${calls === 1 ? 'call' : 'calls'} · ${formatTokens(tokens)} tokens${cached} · ${billText(spending)}`;
}

/**
 * Formats the cost of the experiments: `12 launches · $0.10 and 45.2k tokens each on average ·
 * $0.05 before the first`. Returns `undefined` when nothing was launched.
 */
export function experimentCostLine(state: Pick<SessionState, 'allowances'>): string | undefined {
  const launched = state.allowances.filter(({ runIds }) => runIds.length > 0);
  if (launched.length === 0) return undefined;
  const sumOf = (figure: (one: Allowance) => number): number =>
    launched.reduce((sum, one) => sum + figure(one), 0);
  // A sweep is one launch; the runs of a turn are launches of their own.
  const launches = sumOf(({ key, runIds }) => (key.startsWith('turn ') ? runIds.length : 1));
  const usd = sumOf((one) => one.usd) / launches;
  const tokens = sumOf((one) => one.tokens) / launches;
  const average = costText({
    usd,
    hasUnknownCost: launched.some(({ hasUnknownCost }) => hasUnknownCost),
  });
  const count = `${launches} ${launches === 1 ? 'launch' : 'launches'}`;
  return `${count} · ${average} and ${formatTokens(tokens)} tokens each on average · ${costText(costBefore(state))} before the first`;
}

/** Returns one line per model and one line for the experiments. */
export function costLines(state: Pick<SessionState, 'spending' | 'allowances'>): string[] {
  const experiments = experimentCostLine(state);
  return [
    ...[...state.spending.values()].map(modelCostLine),
    ...(experiments === undefined ? [] : [experiments]),
  ];
}
