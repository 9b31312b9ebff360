import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  branchNameFor,
  promotable,
  promoteAsBranch,
  promoteAsPatch,
  promotedNotes,
} from '../../compose/promoteExperiment.ts';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import { defineCommand, readWords, type CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession } from '../sessionReference.ts';
import { exitCodes } from '../world.ts';

const usage = 'helios promote SESSION [EXPERIMENT] [--branch NAME | --patch FILE]';

export const promoteCommand = defineCommand({
  name: 'promote',
  usage: 'SESSION [EXPERIMENT]',
  about: 'makes a branch or a patch of the code of the best experiment, or of one that is named',
  needsWords: ['promote'],
  help: () => `Usage: ${usage}

Takes over the code of an experiment (e7; default: the best one) into the repository that it was made in. The branch is
new and not checked out: nothing else of the repository changes. A patch is against the commit that is checked out.

Options:
  --branch NAME  of the new branch (default: helios/ with words of the hypothesis)
  --patch FILE   write a patch for git apply in place of a branch; a file that is there is not replaced
  --home FOLDER  (default: HELIOS_HOME, or ~/.helios)

  helios promote 1
  helios promote 1 e7 --branch cosine-lr
`,
  parse(words) {
    const options = { branch: { type: 'string', short: 'b' }, patch: { type: 'string' } } as const;
    const { values, positionals } = readWords(words, { options, maxWords: 2, usage });
    const [session, experiment] = positionals;
    if (session === undefined) throw new UserFacing('Of which session?', `Write ${usage}`);
    const { branch, patch } = values;
    if (branch !== undefined && patch !== undefined)
      throw new UserFacing('Either a branch or a patch.', `Write ${usage}`);
    return { session, experiment, branch, patch };
  },
  run: ({ session, experiment, branch, patch }, context) =>
    withEngine(context, async ({ sessions, machines }) => {
      const { id } = await namedSession(sessions, session);
      const from = promotable((await sessions.read(id)).ledger, experiment);
      const deps = { machines, clock: context.world.clock };
      const { stdout } = context.world;
      if (patch === undefined) {
        const made = await promoteAsBranch(deps, from, branch ?? branchNameFor(from));
        stdout.write(`${from.row.id} is branch ${made.branch} in ${made.repo}.\n`);
      } else stdout.write(`${from.row.id} is in ${await kept(context, patch, await promoteAsPatch(deps, from))}.\n`);
      for (const note of promotedNotes(from)) stdout.write(`${note}\n`);
      return exitCodes.goal;
    }),
});

async function kept({ world }: CommandContext, name: string, patch: Uint8Array): Promise<string> {
  const file = path.resolve(world.cwd, name);
  try {
    await writeFile(file, patch, { flag: 'wx' });
    return file;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new UserFacing(`There is a file ${file} already.`, 'Name another one.');
    throw new UserFacing(`The patch could not be written: ${messageOf(error)}`, 'Name another file.');
  }
}
