/** Commands on the files that a session edited: show the changes, undo them. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { commands, ThemeIcon, Uri, window, type QuickPickItem } from 'vscode';
import type { FileEdit } from '../../agent/contract/edits.ts';
import { UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { editPath, editState, undoneLines } from '../../presentation/edits/editText.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { anySession } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

type EditDeps = Pick<WindowDeps, 'host' | 'documents'>;

export const editCommands = (deps: EditDeps) =>
  ({
    'helios.undoEdits': (argument) => undoEdits(deps, argument),
    'helios.openEdit': (argument, path) => openEdit(deps, argument, path),
  }) satisfies Handlers;

/**
 * Shows the changes of one file by a session: the content before the changes next to the current
 * file.
 */
async function openEdit(deps: EditDeps, argument: unknown, path: unknown): Promise<void> {
  const id = sessionIdOf(argument);
  if (id === undefined || typeof path !== 'string') return;
  const { sessions } = await deps.host.get();
  const edit = (await sessions.edits(id)).find((each) => each.path === path);
  if (edit === undefined)
    throw new UserFacing(`${basename(path)} has no edit of this session any more.`);
  await showChanges(deps, id, edit);
}

async function undoEdits(deps: EditDeps, argument: unknown): Promise<void> {
  const { sessions } = await deps.host.get();
  const id = sessionIdOf(argument) ?? (await anySession(sessions.list()));
  if (id === undefined) return;
  const edits = await sessions.edits(id);
  if (edits.length === 0) throw new UserFacing('No file has edits of this session.');
  const { workFolder } = (await sessions.read(id)).state;
  const picked = await pickEdits(edits, workFolder, (edit) => showChanges(deps, id, edit));
  if (picked === undefined || picked.length === 0) return;
  const undone = await sessions.undoEdits(
    id,
    picked.map(({ path }) => path),
  );
  for (const edit of undone.conflicts) await showThreeVersions(deps, id, edit);
  const text = undoneLines(undone, workFolder).join(' ');
  const isWhole = undone.conflicts.length + undone.failed.length === 0;
  void (isWhole ? window.showInformationMessage(text) : window.showWarningMessage(text));
}

interface EditItem extends QuickPickItem {
  readonly edit: FileEdit;
}

const openChanges = { iconPath: new ThemeIcon('diff'), tooltip: 'Open Changes' };

/** Resolves with the edits that the user selects; `undefined` if the user cancels. */
function pickEdits(
  edits: readonly FileEdit[],
  folder: string,
  show: (edit: FileEdit) => Promise<void>,
): Promise<readonly FileEdit[] | undefined> {
  const picker = window.createQuickPick<EditItem>();
  const items = edits.map((edit) => ({
    label: editPath(edit.path, folder),
    description: editState(edit),
    buttons: [openChanges],
    edit,
  }));
  picker.title = 'Undo Edits of Session';
  picker.placeholder = 'Select the files to restore';
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.ignoreFocusOut = true;
  picker.items = items;
  // A file that changed while a command ran may have been changed by the user.
  // Files in worktrees are not part of the folder.
  picker.selectedItems = items.filter(
    ({ edit: { by, state, branch } }) =>
      by === 'tool' && state !== 'unkept' && branch === undefined,
  );
  picker.show();
  return new Promise((resolve) => {
    picker.onDidTriggerItemButton(({ item }) => void show(item.edit));
    picker.onDidAccept(() => {
      resolve(picker.selectedItems.map(({ edit }) => edit));
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
  });
}

/**
 * Opens two comparisons: of the versions before and after the session's edits, and of the version
 * after the edits and the current file. Changes nothing.
 */
async function showThreeVersions(deps: EditDeps, id: SessionId, edit: FileEdit): Promise<void> {
  const name = basename(edit.path);
  const [before, after] = [beforeOf(deps, id, edit), afterOf(deps, id, edit)];
  await diff(before, after, `${name} (Before ↔ Helios)`);
  await diff(after, Uri.file(edit.path), `${name} (Helios ↔ Now)`);
}

async function showChanges(deps: EditDeps, id: SessionId, edit: FileEdit): Promise<void> {
  if (edit.state === 'conflict') return showThreeVersions(deps, id, edit);
  const { path, state } = edit;
  const now = state === 'removed' ? afterOf(deps, id, edit) : Uri.file(path);
  await diff(beforeOf(deps, id, edit), now, `${basename(path)} (Before ↔ Now)`);
}

const beforeOf = (deps: EditDeps, id: SessionId, { path, beforeFile }: FileEdit): Uri =>
  stored(deps, `/edit/${id}/before${path}`, beforeFile);

const afterOf = (deps: EditDeps, id: SessionId, { path, afterFile }: FileEdit): Uri =>
  stored(deps, `/edit/${id}/after${path}`, afterFile);

/**
 * Returns the URI of a read-only document with a stored content; empty if the file did not exist.
 */
const stored = ({ documents }: EditDeps, path: string, file: string | undefined): Uri =>
  documents.define(path, async () => (file === undefined ? '' : readFile(file, 'utf8')));

const diff = (left: Uri, right: Uri, title: string): Thenable<unknown> =>
  commands.executeCommand('vscode.diff', left, right, title, { preview: false });
