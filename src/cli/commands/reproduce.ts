import { reproductionText } from '../../presentation/experiments/reproductionText.ts';
import { UserFacing } from '../../base/errors.ts';
import { defineCommand, readWords } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession } from '../sessionReference.ts';
import { exitCodes } from '../world.ts';

const usage = 'helios reproduce SESSION EXPERIMENT [--tolerance SHARE]';

export const reproduceCommand = defineCommand({
  name: 'reproduce',
  usage: 'SESSION EXPERIMENT',
  about: 'runs an experiment again in a fresh work tree and compares what is measured',
  needsWords: ['reproduce'],
  help: () => `Usage: ${usage}

Runs the experiment (e7) again: its code as it was kept, the same command, machine and limits. Waits for the end, then sets
each metric beside what was measured before. The run is recorded as one more of the experiment. Whether it was reproduced
is said against the spread of repeats, or against the tolerance; with neither, the numbers are shown and nothing is claimed.

Options:
  --tolerance SHARE  what counts as the same, as a share of the value before, such as 0.01
  --home FOLDER      (default: HELIOS_HOME, or ~/.helios)

  helios reproduce 1 e7 --tolerance 0.01
`,
  parse(words) {
    const { values, positionals } = readWords(words, {
      options: { tolerance: { type: 'string' } } as const,
      maxWords: 2,
      usage,
    });
    const [session, experiment] = positionals;
    if (session === undefined || experiment === undefined)
      throw new UserFacing('Which experiment of which session?', `Write ${usage}`);
    const tolerance = values.tolerance === undefined ? undefined : Number(values.tolerance);
    if (tolerance !== undefined && !(tolerance > 0 && tolerance < 1))
      throw new UserFacing('The tolerance is a share above 0 and below 1, such as 0.01.', `Write ${usage}`);
    return { session, experimentId: experiment.replace(/^(?:experiment\s*)?e?(?=\d+$)/i, 'e'), tolerance };
  },
  run: ({ session: reference, experimentId, tolerance }, context) =>
    withEngine(context, async ({ sessions }) => {
      const { id } = await namedSession(sessions, reference);
      const { phase } = (await sessions.read(id)).state;
      // One that is at work would go on working here, beside what was asked.
      if (phase !== 'ended' && phase !== 'paused')
        throw new UserFacing(
          'This session is not over.',
          'Stop or pause it first, or reproduce from the window that works on it.',
        );
      const session = await sessions.resume(id);
      const made = await session.reproduce({ experimentId, ...(tolerance !== undefined && { tolerance }) });
      context.world.stdout.write(`${reproductionText(made)}\n`);
      return exitCodes.goal;
    }),
});
