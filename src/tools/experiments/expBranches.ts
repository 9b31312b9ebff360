import { pathAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { counted, formatDuration } from '../../base/text.ts';
import type { ListedBranch } from '../../experiments/git/worktrees.ts';
import {
  codeAliases,
  placeOf,
  placeParameters,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxBranches = 100;

export const expBranches = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_branches',
    description:
      'List the branches and worktrees of exp_branch, and the commits with the code of experiments.',
    effect: 'read',
    countedAs: 'result',
    needs: 'repository',
    parameters: z.strictObject(placeParameters),
    aliases: codeAliases,
    describe: () => 'Listed the branches of experiments',
    accesses: (args) => [
      pathAccess('read', deps.machines, { machineId: args.machine_id, path: args.repo_path }),
    ],
    async execute(args, context) {
      const listed = await deps.worktrees.list(await placeOf(deps, args, context));
      const ledger = listed.filter(({ isOfLedger }) => isOfLedger);
      const branches = listed.filter(({ isOfLedger }) => !isOfLedger);
      const shown = branches.slice(-maxBranches);
      const champion = deps.championFolder();
      return {
        content: {
          branches: shown.map((branch) => fieldsOf(branch, deps.clock.now(), champion)),
          ...(branches.length > shown.length && { older: branches.length - shown.length }),
          ledger: ledger
            .slice(-maxBranches)
            .map(({ name, commit }) => `${name} ${shortCommit(commit)}`),
        },
        origins: { 'branches.message': 'commit messages' },
        summary: counted(branches.length, 'branch', 'branches'),
      };
    },
  });

const fieldsOf = (
  branch: ListedBranch,
  nowMs: number,
  champion: string | undefined,
): Record<string, unknown> => ({
  branch: branch.name,
  commit: shortCommit(branch.commit),
  message: branch.message,
  age: formatDuration(Math.max(0, nowMs - branch.committedMs)),
  worktree: branch.hasWorktree ? branch.path : 'deleted: exp_checkout creates it again',
  ...((champion === branch.path || champion?.startsWith(`${branch.path}/`)) && { champion: true }),
});
