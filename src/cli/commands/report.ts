import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareReport = (helios: CliCommand): CliCommand =>
  helios
    .command('report')
    .summary('the brief of a session: what was reached, tried and spent, and what is to be decided')
    .description(
      'Prints the brief of a session as Markdown, also while it works, in whatever window. It is made of what ' +
        'was recorded; no model is asked.',
    )
    .argument('[session]', `${sessionWords} (default: the newest)`)
    .option(
      '--write',
      'writes brief.md, writeup.md and their charts into the folder that the session works in, and prints ' +
        'their paths; a file that you have changed stays, and the new one goes beside it',
    )
    .runs((context, reference: string | undefined, { write }: { readonly write?: boolean }) =>
      withEngine(context, async ({ sessions, reports }) => {
        const { id } = await namedSession(sessions, reference);
        const { stdout } = context.deps;
        if (write) {
          const { brief, file } = await reports.writeup(id);
          stdout.write(`${brief}\n${file}\n`);
        } else stdout.write(await reports.brief(id));
        return exitCodes.goal;
      }),
    );
