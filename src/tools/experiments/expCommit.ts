import * as z from 'zod';
import { oneLine } from '../../base/text.ts';
import {
  branchAliases,
  leftOutFields,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { machineId, onMachine } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export const expCommit = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_commit',
    description:
      'Commit all changes in the worktree of a branch that exp_branch created. Files that look like secrets, large ' +
      'files and checkpoints are not committed; left_out lists them.',
    effect: 'write',
    needs: 'repository',
    isRepeatable: true,
    parameters: z.strictObject({
      machine_id: machineId,
      repo_path: z.string().optional().describe('Ignored: the branch determines the repository.'),
      branch: z.string().min(1).max(200).describe('The name that exp_branch returned.'),
      message: z.string().min(1).max(5_000).describe('What was changed, and why.'),
    }),
    aliases: branchAliases,
    describe: (args) => `Committed ${onMachine(oneLine(args.message, 60), args.machine_id)}`,
    async execute({ machine_id: id, branch, message }, { signal }) {
      const { commit, leftOut } = await deps.worktrees.commit(
        { machine: deps.machines.get(id), signal },
        branch,
        message,
      );
      return {
        content: {
          committed: commit !== undefined,
          ...(commit === undefined
            ? { note: 'Nothing was changed since the last commit.' }
            : { commit }),
          ...leftOutFields(leftOut),
        },
        summary: commit === undefined ? 'nothing was changed' : shortCommit(commit),
      };
    },
  });
