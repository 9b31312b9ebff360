import * as z from 'zod';
import {
  branchAliases,
  pointerFields,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { machineId, machinePath, onMachine } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

export const expCheckout = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_checkout',
    description: 'Get the path of the worktree of a branch; creates a deleted one again.',
    effect: 'write',
    needs: 'repository',
    isRepeatable: true,
    parameters: z.strictObject({
      machine_id: machineId,
      repo_path: z.string().min(1).optional().meta({ hidden: true }),
      branch: z.string().min(1).max(200).describe('As exp_branch returned it.'),
    }),
    aliases: branchAliases,
    describe: (args) => `Opened branch ${onMachine(args.branch, args.machine_id)}`,
    async execute({ machine_id: id, repo_path: repo, branch }, { signal }) {
      const machine = deps.machines.get(id);
      const folder = repo === undefined ? {} : { folder: await machinePath(machine, repo) };
      const made = await deps.worktrees.checkout({ machine, signal, ...folder }, branch);
      const { name, path, commit, isNew } = made;
      return {
        content: { branch: name, path, commit, created: isNew, ...pointerFields(made.hasPointers) },
        summary: `${name} · ${shortCommit(commit)}`,
      };
    },
  });
