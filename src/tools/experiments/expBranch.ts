import { pathAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { oneLine } from '../../base/text.ts';
import {
  codeAliases,
  leftOutFields,
  untrackedFields,
  leftOutOrigins,
  pointerFields,
  placeOf,
  placeParameters,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { onMachine } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

const parameters = z.strictObject({
  ...placeParameters,
  experiment_name: z.string().min(1).max(200).describe('A few words, such as "cosine schedule".'),
  from: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe(
      'Branch, experiment (e7) or git revision. Default: the checkout with its uncommitted changes.',
    ),
});

export const expBranch = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_branch',
    description: 'Create a branch with its own git worktree, in which you edit and run.',
    guidance: [
      "The user's repositories stay unchanged; only reading git (status, log, diff, show) is allowed everywhere. To change code under git, create a worktree with exp_branch, edit and run in it (cwd), and commit what is worth keeping with exp_commit.",
    ],
    effect: 'write',
    needs: 'repository',
    isRepeatable: true,
    parameters,
    aliases: {
      ...codeAliases,
      name: 'experiment_name',
      branch: 'experiment_name',
      experiment: 'experiment_name',
      base: 'from',
    },
    describe: (args) => `Branched ${onMachine(oneLine(args.experiment_name, 60), args.machine_id)}`,
    accesses: (args) => [
      pathAccess('write', deps.machines, { machineId: args.machine_id, path: args.repo_path }),
    ],
    async execute(args, context) {
      const { experiment_name: name, from } = args;
      const place = await placeOf(deps, args, context);
      const made = await deps.worktrees.branch({
        ...place,
        name,
        ...(from !== undefined && { from }),
      });
      return {
        content: {
          branch: made.name,
          ref: made.ref,
          path: made.path,
          commit: made.commit,
          created: made.isNew,
          ...leftOutFields(made.leftOut),
          ...untrackedFields(made.untracked),
          ...pointerFields(made.hasPointers),
          note: made.isNew
            ? `Edit files below path, pass path as cwd to runs, and commit with exp_commit. Environments and files that git ignores stay in ${place.folder}: name them by absolute path, such as ${place.folder}/.venv/bin/python.`
            : 'The branch exists already; nothing was changed.',
        },
        origins: leftOutOrigins,
        summary: [
          made.name,
          shortCommit(made.commit),
          ...Object.values(untrackedFields(made.untracked)),
        ].join(' · '),
      };
    },
  });
