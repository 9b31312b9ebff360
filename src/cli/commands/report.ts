import { Option } from 'commander';
import type { TableFormat } from '../../agent/contract/reports.ts';
import { terminalText } from '../../base/markdown.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { idleSession, namedSession, sessionWords } from '../sessionReference.ts';
import { exitCodes } from '../cliDeps.ts';

const tableFormats: readonly TableFormat[] = ['md', 'tex', 'csv'];

interface RawOptions {
  readonly write?: boolean;
  readonly account?: boolean;
  readonly table?: TableFormat;
}

export const declareReport = (helios: CliCommand): CliCommand =>
  helios
    .command('report')
    .summary('print the brief of a session: results, experiments, cost, open decisions')
    .description(
      'Prints the brief of a session as Markdown, in a terminal as plain text, also while the ' +
        'session is active in any window. ' +
        'Uses recorded data only, and calls no model except with --account.',
    )
    .argument('[session]', `${sessionWords} (default: the newest)`)
    .option(
      '--write',
      'write brief.md, writeup.md and their charts into the folder of the session, and print ' +
        'their paths; a file that you have changed stays, and the new one is written next to it',
    )
    .addOption(
      new Option(
        '--table <format>',
        'print only the table of results: one row per setting, seeds as mean ± standard deviation',
      )
        .choices(tableFormats)
        .conflicts(['write', 'account']),
    )
    .option(
      '--account',
      "ask the session's model once for its account of the work, within the limits of the session, " +
        'then write the reports',
    )
    .runs((context, reference: string | undefined, { write, account, table }: RawOptions) =>
      withEngine(context, async ({ sessions, reports }) => {
        const { id } = await namedSession(sessions, reference);
        const { stdout } = context.deps;
        if (table !== undefined) {
          stdout.write(await reports.table(id, table));
          return exitCodes.goal;
        }
        if (account) await (await idleSession(sessions, id)).writeAccount();
        if (write || account) {
          const { brief, file } = await reports.writeup(id);
          stdout.write(`${brief}\n${file}\n`);
        } else {
          const brief = await reports.brief(id);
          stdout.write(stdout.isTTY === true ? terminalText(brief) : brief);
        }
        return exitCodes.goal;
      }),
    );
