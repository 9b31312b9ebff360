import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option } from 'commander';
import {
  branchNameFor,
  branchText,
  changeOf,
  promotable,
  promoteAsBranch,
  promoteAsPatch,
  promotedNotes,
  type PromoteAdvice,
} from '../../compose/promoteExperiment.ts';
import { codeOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

const advice: PromoteAdvice = { patch: 'add --patch FILE', name: 'add --branch NAME' };

interface PromoteOptions {
  readonly branch?: string;
  readonly patch?: string;
}

export const declarePromote = (helios: CliCommand): CliCommand =>
  helios
    .command('promote')
    .summary('export the code of the best or another experiment as a branch or a patch')
    .description(
      'Exports the code of an experiment into your repository. The branch is new and not ' +
        'checked out, and nothing else of the repository changes. A patch applies to the commit that is checked out.',
    )
    .argument('<session>', sessionWords)
    .argument('[experiment]', 'such as e7 (default: the best experiment)')
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
          const { ledger, state } = await sessions.read(id);
          const from = promotable(ledger, experiment);
          const { workFolder } = state;
          const deps = { machines, clock: context.deps.clock, workFolder };
          const { stdout } = context.deps;
          if (patch === undefined) {
            const newBranch = await promoteAsBranch(deps, from, branch ?? branchNameFor(from));
            stdout.write(`${branchText(from, newBranch, advice)}\n`);
          } else
            stdout.write(
              `Wrote ${from.row.id} as a patch to ${await savePatch(context, patch, await promoteAsPatch(deps, from))} (${await changeOf(deps, from)}).\n`,
            );
          for (const note of promotedNotes(from)) stdout.write(`${note}\n`);
          return exitCodes.goal;
        }),
    );

async function savePatch(
  { deps }: CommandContext,
  name: string,
  patch: Uint8Array,
): Promise<string> {
  const file = path.resolve(deps.cwd, name);
  try {
    await writeFile(file, patch, { flag: 'wx' });
    return file;
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new UserFacing(`${file} already exists.`, 'Choose another name.');
    throw new UserFacing(
      `The patch could not be written: ${messageOf(error)}`,
      'Name another file.',
    );
  }
}
