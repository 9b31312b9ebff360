/**
 * Folds events into allowances (the spending from one launch to the next) and into the set of
 * recorded notices about limits.
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

/** Changes the last allowance: new spending is always added to the last allowance. */
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
 * Begins a new allowance when a run is launched. If an allowance exists for the sweep of the run,
 * or for the turn in which the run was launched, adds the run to this allowance instead. A
 * reproduction is a run of the user, and changes nothing.
 */
export function launched(state: SessionState, runId: RunId, atMs: number): SessionState {
  const spec = state.runs.get(runId)?.spec;
  if (spec?.isReproduction) return state;
  const key = spec?.sweep?.id ?? `turn ${state.turns}`;
  const index = lastIndexOf(state.allowances, key);
  const existing = state.allowances[index];
  if (existing?.runIds.includes(runId)) return state;
  if (existing !== undefined) {
    const runIds = [...existing.runIds, runId];
    return { ...state, allowances: withItem(state.allowances, index, { ...existing, runIds }) };
  }
  return {
    ...state,
    allowances: withItem(state.allowances, state.allowances.length, begun(key, atMs, [runId])),
    notices: new Set([...state.notices].filter((notice) => !notice.startsWith('experiment '))),
  };
}

/**
 * Returns the index of the last allowance with this key, or -1. Turns only increase, so the search
 * for a turn stops at the newest allowance whose key is a turn.
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
  const next = { ...state, notices: new Set([...state.notices, `${scope} ${limit} ${percent}`]) };
  return isOver ? changeAllowance(next, (last) => ({ overAtTurns: last.turns, ...last })) : next;
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
 * Sets new limits. Removes the recorded notices about limits that changed, so that new notices
 * about these limits can be recorded.
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
