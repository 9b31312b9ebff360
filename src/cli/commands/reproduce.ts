import { InvalidArgumentError } from 'commander';
import { reproductionText } from '../../presentation/experiments/reproductionText.ts';
import { UserFacing } from '../../base/errors.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareReproduce = (helios: CliCommand): CliCommand =>
  helios
    .command('reproduce')
    .summary('runs an experiment again in a fresh worktree and compares what is measured')
    .description(
      'Runs the experiment again: its code as it was kept, the same command, machine and limits. Waits for the ' +
        'end, then sets each metric beside what was measured before. The run is recorded as one more of the ' +
        'experiment. Whether it was reproduced is said against the spread of repeats, or against the tolerance; ' +
        'with neither, the numbers are shown and nothing is claimed.',
    )
    .argument('<session>', sessionWords)
    .argument('<experiment>', 'such as e7', (text) =>
      text.replace(/^(?:experiment\s*)?e?(?=\d+$)/i, 'e'),
    )
    .option(
      '--tolerance <share>',
      'what counts as the same, as a share of the value before, such as 0.01',
      shareOf,
    )
    .addHelpText('after', '\n  helios reproduce 1 e7 --tolerance 0.01')
    .runs(
      (context, reference: string, experimentId: string, given: { readonly tolerance?: number }) =>
        withEngine(context, async ({ sessions }) => {
          const { id } = await namedSession(sessions, reference);
          const { phase } = (await sessions.read(id)).state;
          // A session that is not over would also continue its own work here.
          if (phase !== 'ended' && phase !== 'paused')
            throw new UserFacing(
              'This session is not over.',
              'Stop or pause it first, or reproduce from the window that works on it.',
            );
          const session = await sessions.resume(id);
          const made = await session.reproduce({
            experimentId,
            ...(given.tolerance !== undefined && { tolerance: given.tolerance }),
          });
          context.deps.stdout.write(`${reproductionText(made)}\n`);
          return exitCodes.goal;
        }),
    );

function shareOf(text: string): number {
  const share = Number(text);
  if (share > 0 && share < 1) return share;
  throw new InvalidArgumentError('It must be above 0 and below 1, such as 0.01.');
}
