import * as z from 'zod';
import { oneLine } from '../../base/text.ts';
import {
  branchAliases,
  leftOutFields,
  leftOutOrigins,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { machineId, onMachine } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export const expCommit = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_commit',
    description:
      'Commit all changes in the worktree of a branch. Secrets, large files and checkpoints are left out and listed.',
    effect: 'write',
    needs: 'repository',
    isRepeatable: true,
    parameters: z.strictObject({
      machine_id: machineId,
      repo_path: z.string().optional().meta({ hidden: true }),
      branch: z.string().min(1).max(200).describe('As exp_branch returned it.'),
      message: z.string().min(1).max(5_000).describe('What, and why.'),
    }),
    aliases: branchAliases,
    describe: (args) => `Committed ${onMachine(oneLine(args.message, 60), args.machine_id)}`,
    async execute({ machine_id: id, branch, message }, { signal }) {
      const { commit, leftOut, path } = await deps.worktrees.commit(
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
        origins: leftOutOrigins,
        stored: { machineId: id, path },
        summary: commit === undefined ? 'nothing was changed' : shortCommit(commit),
      };
    },
  });
