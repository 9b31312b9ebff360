/** Commands by which the user tags runs and adds notes to them. */
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import type { CliCommand, CommandContext } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { exitCodes } from '../cliDeps.ts';
import { noRun, runNamed } from '../runReference.ts';
import { singleLine } from '../screen/terminalText.ts';

const runWords = 'machine:pid, machine:job, or a run id (helios replay and the views show them)';

export const declareTag = (helios: CliCommand): CliCommand =>
  helios
    .command('tag')
    .summary('add tags to a run')
    .description('Adds your tags to a run. The metrics panel shows them, and filters by tag:good.')
    .argument('<run>', runWords)
    .argument('<tags...>', 'words such as good or baseline')
    .option('--remove', 'remove these tags instead')
    .runs((context, run: string, tags: readonly string[], options: { remove?: boolean }) =>
      annotate(context, run, options.remove === true ? { removeTags: tags } : { addTags: tags }),
    );

export const declareAnnotate = (helios: CliCommand): CliCommand =>
  helios
    .command('annotate')
    .summary('write a note on a run; without text, remove it')
    .description(
      'Writes your note on a run in place of the one before. The metrics panel shows it.',
    )
    .argument('<run>', runWords)
    .argument('[text...]', 'the note')
    .runs((context, run: string, words: readonly string[]) =>
      annotate(context, run, { note: words.join(' ') }),
    );

const annotate = (
  context: CommandContext,
  reference: string,
  change: AnnotationChange,
): Promise<number> =>
  withEngine(context, async ({ sessions, requests }) => {
    const place = await runNamed(sessions, reference);
    if (place === undefined) throw noRun(reference);
    const { sessionId, runId } = place;
    const done = await requests.send(sessionId, { kind: 'annotate', runIds: [runId], ...change });
    context.deps.stdout.write(`${singleLine(done)}\n`);
    return exitCodes.goal;
  });
