import { counted } from '../../base/text.ts';
import {
  planOriginalImport,
  type ImportResult,
  type NotesImport,
  type OriginalImport,
} from '../../compose/importOriginal.ts';
import { entryText } from '../../presentation/machines/machineText.ts';
import { exitCodes } from '../cliDeps.ts';
import type { CliCommand } from '../command.ts';
import { declareImportRuns } from './importRuns.ts';
import { lineForTerminal } from '../screen/terminalText.ts';

interface ImportOptions {
  readonly yes?: true;
}

export function declareImport(helios: CliCommand): CliCommand {
  const command = declareOriginal(helios);
  declareImportRuns(command);
  return command;
}

const declareOriginal = (helios: CliCommand): CliCommand =>
  helios
    .command('import')
    .summary('take over machines and shared notes of the original Helios; a preview by default')
    .description(
      'Lists what the original Helios left in the home folder: its machines.json, and the shared notes in its ' +
        'helios.db. With --yes, converts machines.json, of which a copy stays, and adds the notes to /global. ' +
        'Never changes helios.db, and never replaces a note.',
    )
    .option('--yes', 'import the machines and notes')
    .runs(async ({ deps, home }, { yes }: ImportOptions) => {
      const { assetsFolder, clock, stdout } = deps;
      const write = (line: string): void => void stdout.write(`${lineForTerminal(line)}\n`);
      const plan = await planOriginalImport({ home, assetsFolder, clock });
      planLines(plan, home).forEach(write);
      const isEmpty = plan.machines === undefined && (plan.notes?.fresh.length ?? 0) === 0;
      if (isEmpty) return exitCodes.goal;
      if (yes !== true) {
        write('Nothing has been changed. To import: helios import --yes');
        return exitCodes.goal;
      }
      const result = await plan.carryOut();
      resultLines(plan, result).forEach(write);
      return result.problems.length > 0 ? exitCodes.error : exitCodes.goal;
    });

const planLines = (plan: OriginalImport, home: string): readonly string[] =>
  plan.machines === undefined && plan.notes === undefined
    ? [`${home} has no machines and no notes of the original Helios.`]
    : [...machineLines(plan), ...(plan.notes ? noteLines(plan.notes, plan.databaseFile) : [])];

const machineLines = ({ machines, machinesFile }: OriginalImport): readonly string[] =>
  machines === undefined
    ? []
    : [
        `${counted(machines.entries.length, 'machine')} of ${machinesFile}:`,
        ...machines.entries.map((entry) => {
          const hasPassword = machines.withPassword.includes(entry.id);
          return `  ${entry.id}  ${entryText(entry)}${hasPassword ? '  (without its password: Helios asks for it)' : ''}`;
        }),
        ...machines.problems.map((problem) => `  not imported: ${problem}`),
      ];

const noteLines = (
  { fresh, different, sameCount }: NotesImport,
  databaseFile: string,
): readonly string[] => [
  `${counted(fresh.length, 'shared note')} of ${databaseFile}${sameCount > 0 ? `; ${sameCount} more are already there` : ''}.`,
  ...different.map((path) => `  not imported: ${path} exists with another text`),
];

const resultLines = (
  { machines, notes }: OriginalImport,
  { backupFile, problems }: ImportResult,
): readonly string[] => [
  ...(backupFile === undefined ? [] : [`Converted machines.json. The original: ${backupFile}`]),
  ...(backupFile !== undefined && (machines?.withPassword.length ?? 0) > 0
    ? ['That file holds passwords. Delete it when the machines work.']
    : []),
  ...(notes === undefined || notes.fresh.length === 0
    ? []
    : [`Imported ${counted(notes.fresh.length - problems.length, 'note')} to /global.`]),
  ...problems.map((problem) => `not imported: ${problem}`),
];
