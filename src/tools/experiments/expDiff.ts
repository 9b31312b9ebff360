import { pathAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { codeDiff } from '../../experiments/git/codeDiff.ts';
import {
  codeAliases,
  placeOf,
  placeParameters,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxBytes = 18_000;

export const expDiff = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_diff',
    description:
      'Show how the code differs between two branches, experiments (e7) or git revisions.',
    effect: 'read',
    needs: 'repository',
    parameters: z.strictObject({
      ...placeParameters,
      branch_a: z.string().min(1).max(300).describe('Before.'),
      branch_b: z.string().min(1).max(300).describe('After.'),
    }),
    aliases: { ...codeAliases, a: 'branch_a', b: 'branch_b', from: 'branch_a', to: 'branch_b' },
    describe: (args) => `Compared ${args.branch_a} with ${args.branch_b}`,
    accesses: (args) => [
      pathAccess('read', deps.machines, { machineId: args.machine_id, path: args.repo_path }),
    ],
    async execute(args, context) {
      const place = await placeOf(deps, args, context);
      const a = await deps.worktrees.resolve(place, args.branch_a);
      const b = await deps.worktrees.resolve(place, args.branch_b);
      const diff = await codeDiff(place, { a, b, maxBytes, clock: deps.clock });
      const commits = { commit_a: diff.commitA, commit_b: diff.commitB };
      if (diff.isEqual)
        return {
          content: { ...commits, equal: true, note: 'The files of both states are identical.' },
          summary: 'equal',
        };
      const isCut = diff.patchBytes > maxBytes;
      const rest = `cd ${place.folder} && git diff ${shortCommit(diff.commitA)} ${shortCommit(diff.commitB)} -- FILE`;
      return {
        content: {
          ...commits,
          equal: false,
          files: diff.stat,
          diff: diff.patch,
          ...(isCut && {
            cut: `The first ${maxBytes} of ${diff.patchBytes} bytes are shown. To see the diff of one file, use remote_exec "${rest}"`,
          }),
        },
        origins: { files: 'names of changed files', diff: 'changed files' },
        summary: diff.stat.trimEnd().split('\n').at(-1)?.trim() ?? '',
      };
    },
  });
