import { InvalidArgumentError } from 'commander';
import { reproductionText } from '../../presentation/experiments/reproductionText.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { idleSession, namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareReproduce = (helios: CliCommand): CliCommand =>
  helios
    .command('reproduce')
    .summary('run an experiment again in a fresh worktree and compare the metrics')
    .description(
      'Runs the experiment again with the stored code and the same command, machine and limits. Waits for ' +
        'the run to end, then compares each metric with the earlier value. The run is added to the ' +
        'experiment. The result is judged by the spread of repeats, or by the tolerance; ' +
        'with neither, only the numbers are shown.',
    )
    .argument('<session>', sessionWords)
    .argument('<experiment>', 'such as e7', (text) =>
      text.replace(/^(?:experiment\s*)?e?(?=\d+$)/i, 'e'),
    )
    .option(
      '--tolerance <share>',
      'maximum difference, as a share of the earlier value, such as 0.01',
      shareOf,
    )
    .addHelpText('after', '\n  helios reproduce 1 e7 --tolerance 0.01')
    .runs(
      (
        context,
        reference: string,
        experimentId: string,
        options: { readonly tolerance?: number },
      ) =>
        withEngine(context, async ({ sessions }) => {
          const { id } = await namedSession(sessions, reference);
          const session = await idleSession(sessions, id);
          const reproduction = await session.reproduce({
            experimentId,
            ...(options.tolerance !== undefined && { tolerance: options.tolerance }),
          });
          context.deps.stdout.write(`${reproductionText(reproduction)}\n`);
          return exitCodes.goal;
        }),
    );

function shareOf(text: string): number {
  const share = Number(text);
  if (share > 0 && share < 1) return share;
  throw new InvalidArgumentError('Must be above 0 and below 1, such as 0.01.');
}
