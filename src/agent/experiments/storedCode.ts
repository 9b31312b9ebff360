/** Puts the stored code of an experiment into a new worktree. */
import type { Clock } from '../../base/clock.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { CodeState, CopyPlace, ExperimentPlan } from '../../experiments/experiment.ts';
import { heliosFolder } from '../../experiments/git/gitScript.ts';
import { slugOf, Worktrees } from '../../experiments/git/worktrees.ts';
import { isInFolder } from '../../machines/absolutePath.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { localId } from '../../machines/machineEntry.ts';
import type { Place } from '../../machines/transfer/ends.ts';
import { transfer } from '../../machines/transfer/transfer.ts';

export interface StoredCode {
  readonly plan: Pick<ExperimentPlan, 'id' | 'code' | 'command'>;
  readonly machine: Machine;
  /** Absolute path of the folder in which the code ran. */
  readonly cwd: string;
  /** Name of the new worktree. */
  readonly name: string;
}

export interface CodeFolder {
  readonly cwd: string;
  /** Differences from the code that ran, one line each. */
  readonly differences: readonly string[];
}

export interface StoredCodeDeps {
  readonly sessionId: SessionId;
  readonly machines: Pick<Machines, 'get'>;
  readonly clock: Clock;
}

/** Returns the machine that stores the code of runs on `machine`. */
export const storeOf = (
  machines: Pick<Machines, 'get'>,
  machine: Machine,
  code: CodeState,
): Machine =>
  code.kind === 'git' && code.uploaded !== undefined ? machines.get(localId) : machine;

/**
 * Resolves with a new worktree that contains the stored code. Code that was uploaded is sent to a
 * new folder on the machine. If no code was stored, resolves with
 * the folder in its current state, and reports this as a difference.
 */
export async function restoredFolder(
  request: StoredCode,
  deps: StoredCodeDeps,
): Promise<CodeFolder> {
  const { id, code } = request.plan;
  const commit =
    code.kind === 'git' ? (code.commit ?? (code.isDirty ? undefined : code.head)) : undefined;
  if (code.kind === 'none' || commit === undefined) {
    const why = code.kind === 'none' ? code.why : 'it could not be stored';
    return {
      cwd: request.cwd,
      differences: [`The code of ${id} was not stored (${why}): the run used the current code.`],
    };
  }
  try {
    return await restored(request, { ...code, commit }, deps);
  } catch (error) {
    throw new UserFacing(`The code of ${id} could not be restored: ${messageOf(error)}`);
  }
}

type GitCode = Extract<CodeState, { kind: 'git' }>;

async function restored(
  request: StoredCode,
  { repo, commit, uploaded, leftOut }: GitCode & { readonly commit: string },
  deps: StoredCodeDeps,
): Promise<CodeFolder> {
  const { plan, machine, cwd, name } = request;
  const store = storeOf(deps.machines, machine, plan.code);
  const top = await new Worktrees(deps).add({ machine: store, folder: repo }, commit, name);
  const differences =
    leftOut.length === 0 ? [] : [`Not stored with its code: ${leftOut.join(', ')}.`];
  if (uploaded === undefined)
    return { cwd: machine.path.join(top, machine.path.relative(repo, cwd)), differences };
  const sent = await sentAgain(request, uploaded, { machine: store, path: top }, deps);
  return { cwd: sent.cwd, differences: [...differences, ...sent.differences] };
}

/** Returns the folder with the copies of a session's code on a machine. */
export const copiesFolder = (machine: Machine, sessionId: SessionId): string =>
  machine.path.join(heliosFolder(machine), 'copies', sessionId);

/** Sends code to a new folder on the machine; the folder of the runs has the same place in it. */
async function sentAgain(
  { plan, machine, cwd, name }: StoredCode,
  { root, folder }: CopyPlace,
  worktree: Place,
  { sessionId }: StoredCodeDeps,
): Promise<CodeFolder> {
  const { path: paths } = machine;
  const isWithin = isInFolder(paths, root, cwd);
  if (!isWithin && !isInFolder(paths, cwd, root))
    return {
      cwd,
      differences: [`The code of ${plan.id} is named by its path: the run used the current code.`],
    };
  const top = isWithin ? root : cwd;
  const copy = paths.join(copiesFolder(machine, sessionId), slugOf(name));
  const report = await transfer({
    from: { machine: worktree.machine, path: worktree.machine.path.join(worktree.path, folder) },
    to: { machine, path: paths.join(copy, paths.relative(top, root)) },
    exclude: ['.git'],
  });
  if (report.failure) throw report.failure;
  const names = plan.command.includes(root)
    ? [`Its command names ${root}: what it reads there is not from the stored code.`]
    : [];
  return { cwd: paths.join(copy, paths.relative(top, cwd)), differences: names };
}
