import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option } from 'commander';
import {
  branchNameFor,
  promotable,
  promoteAsBranch,
  promoteAsPatch,
  promotedNotes,
} from '../../compose/promoteExperiment.ts';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

interface PromoteOptions {
  readonly branch?: string;
  readonly patch?: string;
}

export const declarePromote = (helios: CliCommand): CliCommand =>
  helios
    .command('promote')
    .summary('make a branch or a patch from the code of the best or another experiment')
    .description(
      'Exports the code of an experiment into its repository. The branch is new and not ' +
        'checked out, and nothing else of the repository changes. A patch applies to the commit that is checked out.',
    )
    .argument('<session>', sessionWords)
    .argument('[experiment]', 'such as e7 (default: the best one)')
    .option(
      '-b, --branch <name>',
      'name of the new branch (default: helios/ with words of the hypothesis)',
    )
    .addOption(
      new Option(
        '--patch <file>',
        'write a patch for git apply instead of a branch; never replaces an existing file',
      ).conflicts('branch'),
    )
    .addHelpText('after', '\n  helios promote 1\n  helios promote 1 e7 --branch cosine-lr')
    .runs(
      (
        context,
        session: string,
        experiment: string | undefined,
        { branch, patch }: PromoteOptions,
      ) =>
        withEngine(context, async ({ sessions, machines }) => {
          const { id } = await namedSession(sessions, session);
          const from = promotable((await sessions.read(id)).ledger, experiment);
          const deps = { machines, clock: context.deps.clock };
          const { stdout } = context.deps;
          if (patch === undefined) {
            const made = await promoteAsBranch(deps, from, branch ?? branchNameFor(from));
            stdout.write(`${from.row.id} is branch ${made.branch} in ${made.repo}.\n`);
          } else
            stdout.write(
              `${from.row.id} is in ${await kept(context, patch, await promoteAsPatch(deps, from))}.\n`,
            );
          for (const note of promotedNotes(from)) stdout.write(`${note}\n`);
          return exitCodes.goal;
        }),
    );

async function kept({ deps }: CommandContext, name: string, patch: Uint8Array): Promise<string> {
  const file = path.resolve(deps.cwd, name);
  try {
    await writeFile(file, patch, { flag: 'wx' });
    return file;
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new UserFacing(`There is a file ${file} already.`, 'Choose another name.');
    throw new UserFacing(
      `The patch could not be written: ${messageOf(error)}`,
      'Name another file.',
    );
  }
}
