/** Shared parts of the tools for the code of experiments. */
import * as z from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { RepoPlace, Worktrees } from '../../experiments/git/worktrees.ts';
import { machineId, machinePath, type MachineTools } from '../parameters/machinePath.ts';
import type { ToolContext } from '../tool.ts';
import { untrackedText } from '../../experiments/git/untrackedFiles.ts';

export interface ExperimentCode extends MachineTools {
  readonly worktrees: Worktrees;
  readonly clock: Clock;
  /** Returns the absolute path of the folder in which the best run so far was started. */
  championFolder(): string | undefined;
}

const repoPath = z.string().min(1);

export const codeAliases = {
  machine: 'machine_id',
  repo: 'repo_path',
  path: 'repo_path',
  cwd: 'repo_path',
} as const;

/** Other names that models use for the parameters of the branch tools. */
export const branchAliases = {
  ...codeAliases,
  experiment_name: 'branch',
  experiment: 'branch',
  name: 'branch',
} as const;

export const placeParameters = { machine_id: machineId, repo_path: repoPath.default('.') };

export const placeOf = async (
  { machines }: MachineTools,
  args: { readonly machine_id: string; readonly repo_path: string },
  { signal }: ToolContext,
): Promise<RepoPlace> => {
  const machine = machines.get(args.machine_id);
  return { machine, folder: await machinePath(machine, args.repo_path), signal };
};

/**
 * Returns the result field that lists the files omitted from the code; empty if none was omitted.
 */
export const leftOutFields = (
  leftOut: readonly string[],
): { readonly left_out?: readonly string[] } => (leftOut.length === 0 ? {} : { left_out: leftOut });

/**
 * Returns the result field that names untracked files of the user's checkout that are in the code;
 * empty if there are none.
 */
export const untrackedFields = (names: readonly string[]): { readonly untracked?: string } =>
  names.length === 0 ? {} : { untracked: untrackedText(names) };

/** Origins of the texts in `leftOutFields` and `untrackedFields`, as in `ToolResult`. */
export const leftOutOrigins = {
  left_out: 'names of files',
  untracked: 'names of files',
} as const;

/**
 * Returns a warning if files are Git LFS pointers: training on a pointer fails late or reads
 * garbage.
 */
export const pointerFields = (hasPointers: boolean): { readonly lfs?: string } =>
  hasPointers
    ? {
        lfs: "Files stored with Git LFS are only pointers in this worktree. In the commands of runs, use the path of the real files in the user's checkout.",
      }
    : {};

export const shortCommit = (commit: string): string => commit.slice(0, 10);
