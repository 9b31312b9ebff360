import path from 'node:path';
import { oneLine } from '../../base/text.ts';
import { writePieces } from '../../compose/newFile.ts';
import { pageFileName } from '../../presentation/sessions/pageFile.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { nonEmpty } from '../values.ts';
import { exitCodes } from '../cliDeps.ts';

export const declareShare = (helios: CliCommand): CliCommand =>
  helios
    .command('share')
    .summary('write a session as one HTML file to pass on: brief, charts, ledger, timeline')
    .description(
      'Writes one HTML file of at most 2 MB, which opens in any browser without a network. ' +
        'Texts that look like secrets are redacted, and home folders are written as ~.',
    )
    .argument('[session]', `${sessionWords} (default: the newest)`)
    .option(
      '-o, --out <file>',
      'output file, never replaces an existing file (default: a name with the goal, in this folder)',
      nonEmpty,
    )
    .addHelpText('after', '\n  helios share 1 -o results.html')
    .runs((context, reference: string | undefined, { out }: { readonly out?: string }) =>
      withEngine(context, async ({ sessions, reports }) => {
        const summary = await namedSession(sessions, reference);
        const { stdout, cwd } = context.deps;
        const file = path.resolve(cwd, out ?? pageFileName(summary));
        await writePieces(file, piecesOf(await reports.page(summary.id)), { replaces: false });
        stdout.write(`Wrote ${oneLine(file, 1_000)}\n`);
        return exitCodes.goal;
      }),
    );

async function* piecesOf(text: string): AsyncGenerator<string, void, void> {
  yield text;
}
