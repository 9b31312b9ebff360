/**
 * Finds changes in the worktrees of a session that belong neither to a commit of their branch nor
 * to the stored code of an experiment.
 */
import type { Clock } from '../../base/clock.ts';
import { isLeftBehind, namedFiles } from '../../experiments/codeDifference.ts';
import { branchOf } from '../../experiments/experiment.ts';
import { ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import { knownWorktrees, uncommittedFiles } from '../../experiments/git/tidyWorktrees.ts';
import { Worktrees } from '../../experiments/git/worktrees.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { OpenWorkFacts } from '../../reports/facts.ts';
import type { SessionState } from '../journal/state.ts';

export interface OpenWorkDeps {
  readonly machines: Machines;
  readonly clock: Clock;
}

const limitMs = 10_000;

/**
 * Resolves with the worktrees that have such changes, on the machines of the session that are
 * connected. Never rejects: a machine or worktree that cannot be read is left out.
 */
export async function openWork(
  state: SessionState,
  { machines, clock }: OpenWorkDeps,
): Promise<readonly OpenWorkFacts[]> {
  const plans = [...state.experiments.values()].map(({ plan }) => plan);
  const ids = new Set(['local', ...plans.map(({ machineId }) => machineId)]);
  const connected = machines
    .list()
    .filter((machine) => ids.has(machine.id) && canReport(machines, machine));
  const found = connected.map((machine) => workOn(machine, state, clock).catch(() => []));
  return (await Promise.all(found)).flat();
}

/** Returns whether a report may read from the machine: one that is connected, or this computer. */
export const canReport = ({ status }: Machines, { id, kind }: Machine): boolean =>
  kind === 'local' || status === undefined || status(id).kind === 'connected';

async function workOn(
  machine: Machine,
  { id: sessionId, experiments }: SessionState,
  clock: Clock,
): Promise<OpenWorkFacts[]> {
  const deps = { machine, sessionId, clock, timeoutMs: limitMs };
  const { repos } = await knownWorktrees(deps);
  const worktrees = new Worktrees({ sessionId, clock });
  const lists = repos.map((folder) => worktrees.list({ machine, folder }));
  const branches = (await Promise.all(lists)).flat();
  const plans = [...experiments.values()].map(({ plan }) => plan);
  const stored = new Set(plans.flatMap(({ code }) => (code.kind === 'git' ? code.tree : [])));
  const store = new ExperimentCodeStore({ sessionId, clock, timeoutMs: limitMs });
  const work: OpenWorkFacts[] = [];
  for (const { name: branch, path, hasWorktree, isOfLedger } of branches) {
    if (!hasWorktree || isOfLedger) continue;
    const inside = plans.filter(({ code }) => branchOf(code, sessionId) === branch);
    const named = namedFiles(inside.map(({ command }) => command));
    const changed = await uncommittedFiles(deps, path).catch(() => []);
    const files = changed.filter((file) => !isLeftBehind(file, named));
    if (files.length === 0) continue;
    const code = await store.capture(machine, path, undefined);
    if (code.kind === 'git' && stored.has(code.tree)) continue;
    const of = inside.map(({ id }) => id);
    work.push({ machineId: machine.id, path, branch, experiments: of, files: files.length });
  }
  return work;
}
