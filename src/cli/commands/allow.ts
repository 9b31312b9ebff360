/** `helios allow`: shows what a `helios.json` would send or run, and allows it. */
import path from 'node:path';
import { stat } from 'node:fs/promises';
import { UserFacing } from '../../base/errors.ts';
import { projectsAt, reviewText } from '../../compose/project.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { exitCodes } from '../cliDeps.ts';

interface AllowOptions {
  readonly show?: boolean;
  readonly revoke?: boolean;
}

export const declareAllow = (helios: CliCommand): CliCommand =>
  helios
    .command('allow')
    .summary('allow what a helios.json sends and runs')
    .description(
      'Shows what the helios.json of a folder would send, run or allow (notification channels, ' +
        'provider, model, machine, mandate), and allows exactly that. If one of these changes ' +
        'later, Helios ignores it until you allow it again. In a file that other users can change, ' +
        'Helios ignores everything but limits and the permission mode until you allow it in the ' +
        'same way.',
    )
    .argument('[path]', 'the file, or a folder to which it applies (default: this folder)')
    .option('--show', 'only show what the helios.json would send, run or allow; allow nothing')
    .option('--revoke', 'withdraw everything that you allowed for the file')
    .runs(allow);

async function allow(
  { deps, home }: CommandContext,
  place: string | undefined,
  { show = false, revoke = false }: AllowOptions,
): Promise<number> {
  const projects = projectsAt(home, deps.homeFolder);
  const folder = await folderOf(path.resolve(deps.cwd, place ?? '.'));
  const review = await projects.review(folder);
  if (review === undefined)
    throw new UserFacing(`No helios.json applies to ${folder}.`, 'Create one with helios init.');
  deps.stdout.write(reviewText(review));
  if (show) return exitCodes.goal;
  if (revoke) {
    await projects.revoke(review);
    deps.stdout.write('\nNothing in the file is allowed any more.\n');
  } else if (!review.isAllowed && Object.keys(review.gated).length > 0) {
    await projects.allow(review);
    deps.stdout.write(
      '\nAllowed for new and resumed sessions. Withdraw it with: helios allow --revoke\n',
    );
  }
  return exitCodes.goal;
}

/** Resolves with the folder of a `helios.json`, or with the folder itself. */
async function folderOf(place: string): Promise<string> {
  const found = await stat(place).catch(() => undefined);
  return found?.isDirectory() === true ? place : path.dirname(place);
}
