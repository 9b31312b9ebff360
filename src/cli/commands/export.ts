import { once } from 'node:events';
import path from 'node:path';
import { Option } from 'commander';
import {
  exportColumns,
  exportKinds,
  exportRecords,
  type ExportKind,
} from '../../presentation/archive/exportRecords.ts';
import {
  exportFormats,
  exportText,
  type ExportFormat,
} from '../../presentation/archive/exportText.ts';
import type { Engine } from '../../agent/contract/engine.ts';
import type { SessionReading, Sessions } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { writeResultsTsv } from '../../compose/resultsTsv.ts';
import { writePieces } from '../../compose/newFile.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';
import { nonEmpty } from '../values.ts';
import { exitCodes, type CliDeps, type Output } from '../cliDeps.ts';

const kinds: Readonly<Record<ExportKind, string>> = {
  sessions: 'a row per session',
  messages: 'all messages, tool calls and their results',
  metrics: 'every point of every run',
  ledger: 'a row per run, with its experiment, verdict, decision and cost',
  events: 'every event of the journal',
};

const exportHelp = `
Kinds:
${exportKinds.map((kind) => `  ${kind.padEnd(10)}${kinds[kind]}`).join('\n')}

NaN and infinities are written as NaN, Infinity and -Infinity, in JSON as strings. In CSV and TSV, a
text that a spreadsheet would read as a formula gets a leading apostrophe.

Exporting the ledger of one session as TSV writes a results.tsv: one line per experiment that has ended, with the
columns commit, metric, memory_gb, status and description.

  helios export --what ledger --out ledger.csv 1
  helios export --what ledger --format tsv 1 > results.tsv
  helios export --what metrics --format json s-0mb2k4x9qf3t7ab > metrics.json`;

interface ExportOptions {
  readonly what: ExportKind;
  readonly format: ExportFormat;
  readonly out?: string;
  readonly raw?: boolean;
}

export const declareExport = (helios: CliCommand): CliCommand =>
  helios
    .command('export')
    .summary('export sessions, messages, metrics, the ledger or events as CSV, TSV or JSON')
    .description(
      'Exports one session, or all by default. Parts of a journal that cannot ' +
        'be read are reported on stderr.',
    )
    .argument('[session]', sessionWords)
    .addOption(
      new Option('-w, --what <kind>', 'what to export').choices(exportKinds).default('sessions'),
    )
    .addOption(
      new Option(
        '-f, --format <format>',
        'CSV is RFC 4180, TSV has tabs and line breaks as \\t and \\n, JSON an array',
      )
        .choices(exportFormats)
        .default('csv'),
    )
    .option(
      '-o, --out <file>',
      'output file (default: stdout); written atomically, never replaces an existing file',
      nonEmpty,
    )
    .option('--raw', 'keep texts that look like secrets, which are redacted by default')
    .addHelpText('after', exportHelp)
    .runs(
      (
        context,
        reference: string | undefined,
        { what: kind, format, out, raw: isRaw = false }: ExportOptions,
      ) =>
        withEngine(context, async (engine) => {
          const { stdout, cwd } = context.deps;
          const id =
            reference === undefined
              ? undefined
              : (await namedSession(engine.sessions, reference)).id;
          const pieces = exported(engine, { kind, format, isRaw, id }, context.deps);
          if (out === undefined) {
            // Data that goes to a file or a program must not be escaped for a terminal.
            const output = stdout.isTTY === true ? stdout : (stdout.raw ?? stdout);
            for await (const piece of pieces) await written(output, piece);
            return exitCodes.goal;
          }
          const file = path.resolve(cwd, out);
          await writePieces(file, pieces, { replaces: false });
          stdout.write(`Wrote ${file}\n`);
          return exitCodes.goal;
        }),
    );

interface Wanted {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly isRaw: boolean;
  readonly id: SessionId | undefined;
}

async function* exported(
  { sessions, home, redact }: Engine,
  { kind, format, isRaw, id }: Wanted,
  { stderr }: CliDeps,
): AsyncGenerator<string, void, void> {
  if (kind === 'ledger' && format === 'tsv') {
    const text = await resultsOf(sessions, id);
    return yield isRaw ? text : redact(text);
  }
  const read = async (each: SessionId): Promise<SessionReading> => {
    const reading = await sessions.read(each);
    for (const text of reading.damage) stderr.write(`Journal of ${each}: ${text}\n`);
    return reading;
  };
  const records = exportRecords(
    { home, sessions: { list: () => sessions.list(), read } },
    kind,
    id,
  );
  yield* exportText(records, { format, columns: exportColumns[kind], ...(!isRaw && { redact }) });
}

/**
 * Resolves with the text of `results.tsv` for one session: the file has a single metric, so it
 * cannot hold several sessions. Rejects with `UserFacing` if there is no session, or if there are
 * several and `named` is undefined.
 */
async function resultsOf(sessions: Sessions, named: SessionId | undefined): Promise<string> {
  const listed = named === undefined ? (await sessions.list()).map(({ id }) => id) : [named];
  const [id] = listed;
  if (id === undefined || listed.length > 1)
    throw new UserFacing(
      id === undefined ? 'There is no session yet.' : 'A ledger as TSV can hold only one session.',
      id === undefined
        ? 'Start one with a goal: helios "…"'
        : 'Name a session (see helios sessions), or use --format csv.',
    );
  return writeResultsTsv((await sessions.read(id)).ledger);
}

/**
 * Writes the text, and waits if the output cannot be written fast enough, so that it does not
 * accumulate in memory.
 */
async function written(output: Output, text: string): Promise<void> {
  const isTaken = output.write(text);
  if (isTaken === false) await once((output.raw ?? output) as NodeJS.WriteStream, 'drain');
}
