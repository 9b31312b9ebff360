import { pathAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { counted } from '../../base/text.ts';
import { isLeftBehind } from '../../experiments/codeDifference.ts';
import { codeDiff } from '../../experiments/git/codeDiff.ts';
import { uncommittedFiles } from '../../experiments/git/tidyWorktrees.ts';
import type { RepoPlace } from '../../experiments/git/worktrees.ts';
import {
  codeAliases,
  placeOf,
  placeParameters,
  shortCommit,
  type ExperimentCode,
} from './experimentCode.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

const maxBytes = 18_000;
const maxNamed = 5;

export const expDiff = (deps: ExperimentCode): Tool =>
  defineTool({
    name: 'exp_diff',
    description:
      'Show how the code differs between two branches, experiments (e7) or git revisions.',
    effect: 'read',
    countedAs: 'result',
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
      const uncommitted = await uncommittedNote(deps, { place, refs: [a, b] }, context);
      const more = uncommitted === '' ? {} : { uncommitted };
      if (diff.isEqual) {
        const note = 'The files of both states are identical.';
        return {
          content: { ...commits, equal: true, note, ...more },
          origins,
          summary: uncommitted === '' ? 'equal' : 'equal · changes are not committed',
        };
      }
      const isCut = diff.patchBytes > maxBytes;
      const rest = `cd ${place.folder} && git diff ${shortCommit(diff.commitA)} ${shortCommit(diff.commitB)} -- FILE`;
      return {
        content: {
          ...commits,
          equal: false,
          files: diff.stat,
          diff: diff.patch,
          ...more,
          ...(isCut && {
            cut: `The first ${maxBytes} of ${diff.patchBytes} bytes are shown. To see the diff of one file, use remote_exec "${rest}"`,
          }),
        },
        origins,
        summary: diff.stat.trimEnd().split('\n').at(-1)?.trim() ?? '',
      };
    },
  });

const origins = {
  files: 'names of changed files',
  diff: 'changed files',
  uncommitted: 'names of changed files',
};

/** Resolves with sentences about changes in the worktrees of the compared branches. */
async function uncommittedNote(
  { worktrees, clock }: ExperimentCode,
  { place, refs }: { readonly place: RepoPlace; readonly refs: readonly string[] },
  { sessionId }: ToolContext,
): Promise<string> {
  const { machine } = place;
  const branches = await worktrees.list(place);
  const notes: string[] = [];
  for (const { name, ref, path, hasWorktree, isOfLedger } of branches) {
    if (!refs.includes(ref) || !hasWorktree || isOfLedger) continue;
    const changed = await uncommittedFiles({ machine, sessionId, clock }, path).catch(() => []);
    const files = changed
      .map((file) => Buffer.from(file, 'latin1').toString('utf8'))
      .filter((file) => !isLeftBehind(file, new Set()));
    if (files.length > 0)
      notes.push(
        `The worktree of ${name} has changes that are not compared: ${namedFew(files)}. Commit them with exp_commit, then compare again.`,
      );
  }
  return notes.join(' ');
}

const namedFew = (files: readonly string[]): string => {
  const rest = files.length - maxNamed;
  return `${files.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${counted(rest, 'more file', 'more files')}` : ''}`;
};
