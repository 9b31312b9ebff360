import { resolve } from 'node:path';
import type { FileEdit } from '../../agent/contract/edits.ts';
import { counted } from '../../base/text.ts';
import { editPath, editState, undoneLines } from '../../presentation/edits/editText.ts';
import { exitCodes } from '../cliDeps.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { lineForTerminal } from '../screen/terminalText.ts';
import { namedSession, sessionWords } from '../sessionReference.ts';

interface UndoOptions {
  readonly list?: true;
}

export const declareUndo = (helios: CliCommand): CliCommand =>
  helios
    .command('undo')
    .summary('undo the edits of files by a session, or list them')
    .description(
      'Gives files the content that they had before the session edited them. Files that were changed later stay ' +
        'unchanged. Without files, undoes what the tools of the agent edited; files that changed while a command of ' +
        'the agent ran must be named, because you or a run may have changed them. So must files in worktrees of experiments.',
    )
    .argument('<session>', sessionWords)
    .argument('[files...]', 'files to restore')
    .option('--list', 'only list the edits, with the files that hold the content before and after')
    .addHelpText(
      'after',
      '\n  helios undo 1 --list\n  helios undo 1 train.py\nExit code: 0 all were undone, 1 some were not.',
    )
    .runs((context, session: string, files: readonly string[], { list }: UndoOptions) =>
      withEngine(context, async ({ sessions }) => {
        const { stdout, cwd } = context.deps;
        const { id } = await namedSession(sessions, session);
        const write = (line: string): void => void stdout.write(`${lineForTerminal(line)}\n`);
        if (list === true) {
          editLines(await sessions.edits(id), cwd).forEach(write);
          return exitCodes.goal;
        }
        const paths = files.map((file) => resolve(cwd, file));
        const undone = await sessions.undoEdits(id, paths.length > 0 ? paths : undefined);
        undoneLines(undone, cwd).forEach(write);
        const rest = await sessions.edits(id);
        if (paths.length === 0 && rest.some(isByCommand))
          write(
            `${counted(rest.filter(isByCommand).length, 'file')} changed while a command ran: helios undo ${session} --list`,
          );
        const isWhole = undone.conflicts.length + undone.failed.length === 0;
        return isWhole ? exitCodes.goal : exitCodes.error;
      }),
    );

const isByCommand = ({ by, state }: FileEdit): boolean => by === 'command' && state !== 'conflict';

const editLines = (edits: readonly FileEdit[], folder: string): readonly string[] =>
  edits.length === 0
    ? ['No file has edits of this session.']
    : edits.flatMap((edit) => [
        `${editPath(edit.path, folder)}: ${editState(edit)}`,
        `  before: ${edit.beforeFile ?? 'no file'}`,
        `  after:  ${edit.afterFile ?? 'no file'}`,
      ]);
