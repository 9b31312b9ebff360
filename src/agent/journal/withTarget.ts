import type { ExperimentEvent } from './experimentEvents.ts';
import type { SessionState } from './state.ts';

/** Returns the state with another target. The baseline that the user chose stays. */
export function withTarget(
  state: SessionState,
  {
    target,
    by,
    isOnlyBaseline,
  }: Pick<Extract<ExperimentEvent, { type: 'session.target_changed' }>, TargetFields>,
): SessionState {
  const { target: before, earlierTargets = [] } = state;
  const { baseline } = before ?? {};
  return {
    ...state,
    ...(before && { earlierTargets: [...earlierTargets, before] }),
    target: { ...(baseline !== undefined && { baseline }), ...target },
    ...(!isOnlyBaseline && { targetBy: by }),
  };
}

type TargetFields = 'target' | 'by' | 'isOnlyBaseline';
