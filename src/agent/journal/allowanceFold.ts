/** The part of the fold that tells experiments apart, and what was told of their allowance. */
import type { RunId } from '../../base/ids.ts';
import type { Budget, JournalEvent, Limits } from './events.ts';
import { withItem } from './growing.ts';
import type { Allowance, SessionState } from './state.ts';

export const begun = (
  key: string,
  startedMs: number,
  runIds: readonly RunId[] = [],
): Allowance => ({
  key,
  runIds,
  startedMs,
  turns: 0,
  usd: 0,
  tokens: 0,
  hasUnknownCost: false,
});

/** Changes the experiment that is spent on now. */
export function changeAllowance(
  state: SessionState,
  change: (last: Allowance) => Allowance,
): SessionState {
  const last = state.allowances.at(-1);
  if (last === undefined) return state;
  return {
    ...state,
    allowances: withItem(state.allowances, state.allowances.length - 1, change(last)),
  };
}

/**
 * A start begins an experiment, unless the run belongs to one: to its sweep, or to the other
 * launches of its turn.
 */
export function launched(state: SessionState, runId: RunId, atMs: number): SessionState {
  const key = state.runs.get(runId)?.spec.sweep?.id ?? `turn ${state.turns}`;
  const index = lastIndexOf(state.allowances, key);
  const known = state.allowances[index];
  if (known?.runIds.includes(runId)) return state;
  if (known !== undefined) {
    const runIds = [...known.runIds, runId];
    return { ...state, allowances: withItem(state.allowances, index, { ...known, runIds }) };
  }
  return {
    ...state,
    allowances: withItem(state.allowances, state.allowances.length, begun(key, atMs, [runId])),
    notices: new Set([...state.notices].filter((notice) => !notice.startsWith('experiment '))),
  };
}

/**
 * -1 where there is none. Turns come one after the other: before an earlier one there is no later
 * one.
 */
function lastIndexOf(allowances: readonly Allowance[], key: string): number {
  const isTurn = (other: string): boolean => other.startsWith('turn ');
  const index = allowances.findLastIndex(
    (other) => other.key === key || (isTurn(key) && isTurn(other.key)),
  );
  return allowances[index]?.key === key ? index : -1;
}

type Noticed = Extract<JournalEvent, { type: 'budget.noticed' }>;

export function noticed(state: SessionState, { scope, limit, percent }: Noticed): SessionState {
  const isOver = scope === 'experiment' && percent === 100;
  const told = { ...state, notices: new Set([...state.notices, `${scope} ${limit} ${percent}`]) };
  return isOver ? changeAllowance(told, (last) => ({ overAtTurns: last.turns, ...last })) : told;
}

/**
 * Somebody is there: an experiment whose allowance is over may be thought about a little longer.
 */
export const renewed = (state: SessionState): SessionState =>
  state.allowances.at(-1)?.overAtTurns === undefined
    ? state
    : changeAllowance(state, (last) => ({ ...last, overAtTurns: last.turns }));

/** Other limits: what was told of those that changed is told anew. */
export function allowed(state: SessionState, budget: Budget): SessionState {
  const before = state.budget;
  const isSame = (notice: string): boolean => {
    const [scope, limit] = notice.split(' ') as [string, keyof Limits];
    if (scope === 'experiment') return before.experiment?.[limit] === budget.experiment?.[limit];
    return scope !== 'goal' || before[limit] === budget[limit];
  };
  const notices = new Set([...state.notices].filter(isSame));
  const isStillOver = [...notices].some((notice) => /^experiment \w+ 100$/.test(notice));
  const changed = { ...state, budget, notices };
  return isStillOver ? changed : changeAllowance(changed, ({ overAtTurns: _, ...last }) => last);
}
