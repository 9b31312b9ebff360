/**
 * Folds events into the allowances of experiments, and tracks which notices about an allowance were
 * recorded.
 */
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

/** Changes the last allowance, to which current spending is added. */
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
 * Begins a new allowance when a run is launched. A run of the same sweep, or launched in the same
 * turn, as an existing allowance is added to that allowance instead.
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
 * Returns the index of the last allowance with this key, or -1. Turns only increase, so the search
 * stops at the newest turn's allowance.
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
 * Restarts the grace turns of a used-up allowance after a message of the user: the model gets more
 * time for the user's request.
 */
export const renewed = (state: SessionState): SessionState =>
  state.allowances.at(-1)?.overAtTurns === undefined
    ? state
    : changeAllowance(state, (last) => ({ ...last, overAtTurns: last.turns }));

/**
 * Sets new limits. Removes the recorded notices about limits that changed, so that they are
 * reported again.
 */
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
