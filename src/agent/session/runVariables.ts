import type { GoalRequest } from '../contract/sessions.ts';
import type { SessionEvent } from '../journal/events.ts';
import type { SharedDeps } from './sessionDeps.ts';

/**
 * Resolves with the names of the user's variables that runs of a goal get on this computer, as a
 * field of the first event; empty if runs get no variables.
 */
export async function runVariablesOf(
  shared: Pick<SharedDeps, 'machinesIn'>,
  { workFolder, profile = 'goal' }: GoalRequest,
): Promise<Pick<Extract<SessionEvent, { type: 'session.started' }>, 'runVariables'>> {
  if (profile !== 'goal') return {};
  const setup = await shared.machinesIn(workFolder).get('local').setup?.();
  const runVariables = Object.keys(setup?.runEnv ?? {});
  return runVariables.length === 0 ? {} : { runVariables };
}
