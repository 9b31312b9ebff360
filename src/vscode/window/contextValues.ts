/** The values of the context keys that depend on the sessions of the window. */
import type { SessionState } from '../../agent/journal/state.ts';
import { isOpen, isWorking } from '../../presentation/sessions/sessionText.ts';
import { contextKeys } from '../ui/contributions.ts';

type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

/** `isShown`: whether a panel of this window shows the session. */
export function contextValues(
  states: readonly SessionState[],
  isShown: (sessionId: string) => boolean,
): ReadonlyMap<ContextKey, boolean> {
  const goals = states.filter(({ provider, profile }) => provider !== 'demo' && profile === 'goal');
  return new Map([
    [contextKeys.hasSession, states.some(isOpen)],
    [contextKeys.isWorking, states.some((state) => isWorking(state) || state.phase === 'sleeping')],
    [contextKeys.hasRuns, states.some(hasRuns)],
    [contextKeys.demoEnded, states.some((state) => state.provider === 'demo' && hasResult(state))],
    [contextKeys.goalStarted, goals.length > 0],
    [contextKeys.goalEnded, goals.some(hasResult)],
    [contextKeys.runShown, states.some((state) => hasRuns(state) && isShown(state.id))],
  ]);
}

const hasRuns = ({ runs }: SessionState): boolean => runs.size > 0;
const hasResult = (state: SessionState): boolean =>
  state.end !== undefined && state.end.reason !== 'error' && hasRuns(state);
