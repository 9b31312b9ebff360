/** Puts the stored code of an experiment into a new worktree. */
import type { Clock } from '../../base/clock.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import { Worktrees } from '../../experiments/git/worktrees.ts';
import type { Machine } from '../../machines/machine.ts';

export interface StoredCode {
  readonly plan: Pick<ExperimentPlan, 'id' | 'code'>;
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

/**
 * Resolves with a new worktree that contains the stored code. If no code was stored, resolves with
 * the folder in its current state, and reports this as a difference.
 */
export async function restoredFolder(
  { plan, machine, cwd, name }: StoredCode,
  deps: { readonly sessionId: SessionId; readonly clock: Clock },
): Promise<CodeFolder> {
  const { id, code } = plan;
  const commit =
    code.kind === 'git' ? (code.commit ?? (code.isDirty ? undefined : code.head)) : undefined;
  if (code.kind === 'none' || commit === undefined) {
    const why = code.kind === 'none' ? code.why : 'it could not be stored';
    return {
      cwd,
      differences: [`The code of ${id} was not stored (${why}): the run used the current code.`],
    };
  }
  try {
    const top = await new Worktrees(deps).add({ machine, folder: code.repo }, commit, name);
    const within = machine.path.relative(code.repo, cwd);
    const leftOut =
      code.leftOut.length === 0 ? [] : [`Not stored with its code: ${code.leftOut.join(', ')}.`];
    return { cwd: machine.path.join(top, within), differences: leftOut };
  } catch (error) {
    throw new UserFacing(`The code of ${id} could not be restored: ${messageOf(error)}`);
  }
}
