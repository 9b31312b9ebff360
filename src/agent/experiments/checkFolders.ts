/** Names and removes the worktrees in which the checks of a goal run. */
import type { Clock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import { runGit } from '../../experiments/git/gitScript.ts';
import { dropWorktrees } from '../../experiments/git/tidyWorktrees.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { JournalEvent } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';
import { copiesFolder, storeOf } from './storedCode.ts';

/** Returns the name of the worktree for a check. `isOfUser`: with the user's version of a script. */
export const checkFolderName = (id: string, turn: number, isOfUser: boolean): string =>
  `${isOfUser ? "user's " : ''}check of ${id} ${turn}`;

const prefixes = ['check-of-', 'user-s-check-of-'];
const limitMs = 30_000;

export interface CheckFoldersDeps {
  readonly log: { readonly state: SessionState; readonly events: readonly JournalEvent[] };
  readonly machines: Pick<Machines, 'get'>;
  readonly clock: Clock;
}

/**
 * Removes all such worktrees of the session from the machines of `plans`. Never rejects: what cannot
 * be removed stays until the next check.
 */
export async function removeCheckFolders(
  { log, machines, clock }: CheckFoldersDeps,
  plans: readonly ExperimentPlan[],
): Promise<void> {
  const { id: sessionId } = log.state;
  const places = new Set(
    plans.flatMap(({ machineId, code }) => {
      const machine = machines.get(machineId);
      return [machine, storeOf(machines, machine, code)];
    }),
  );
  for (const machine of places)
    await clear({ machine, sessionId, clock, timeoutMs: limitMs }).catch(() => undefined);
}

interface Place {
  readonly machine: Machine;
  readonly sessionId: SessionId;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Removes the worktrees, and the copies of uploaded code. */
async function clear(place: Place): Promise<void> {
  const { machine, sessionId } = place;
  await dropWorktrees(place, (name) => prefixes.some((prefix) => name.startsWith(prefix)));
  const named = prefixes.map((prefix) => `-name '${prefix}*'`).join(' -o ');
  const script = `[ ! -d "$1" ] || find "$1" -mindepth 1 -maxdepth 1 \\( ${named} \\) -exec rm -rf -- {} +`;
  await runGit({ ...place, script, args: [copiesFolder(machine, sessionId)] });
}

/**
 * Removes what a check left behind when Helios was killed in the middle of it. Does nothing if the
 * journal tells of no such check. Never rejects.
 */
export async function removeLeftCheckFolders(deps: CheckFoldersDeps): Promise<void> {
  const { events, state } = deps.log;
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool.started' && event.name === 'finish') open.add(event.callId);
    if (event.type === 'tool.finished') open.delete(event.callId);
  }
  const plans = [...state.experiments.values()].map(({ plan }) => plan);
  if (open.size > 0) await removeCheckFolders(deps, plans);
}
