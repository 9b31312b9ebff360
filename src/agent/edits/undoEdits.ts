/** Lists the edits of a session whose files still differ from before, and undoes edits. */
import { basename, dirname, join, sep } from 'node:path';
import { messageOf, UserFacing } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { refOf } from '../../experiments/git/experimentCodeStore.ts';
import type { AttachmentFiles } from '../../storage/attachmentFiles.ts';
import type { FileEdit, UndoneEdits } from '../contract/edits.ts';
import type { SessionEvent, JournalEvent } from '../journal/events.ts';
import { isSameVersion, type ChangedFile, type FileVersion } from '../journal/fileEvents.ts';
import { foldEdits, type EditRecord } from './editFold.ts';
import { contentPath, editFiles, presentVersion, realPlace, restore } from './versions.ts';

/** Returns the folder with the worktrees of a session, from the folder of the session. */
export const worktreesOf = (folder: string): string =>
  join(dirname(dirname(folder)), 'worktrees', basename(folder));

export interface SessionEdits {
  /** Folder of the session. Absolute path. */
  readonly folder: string;
  readonly events: readonly JournalEvent[];
}

export interface UndoRequest extends SessionEdits {
  /**
   * Absolute paths. Default: every file that a tool edited outside of worktrees, without files that
   * changed during a command.
   */
  readonly paths?: readonly string[];
  readonly by: 'agent' | 'person';
  record(event: SessionEvent): Promise<void>;
}

/** Resolves with the edits of files that now differ from their version before the edits. */
export async function listEdits({ events, folder }: SessionEdits): Promise<readonly FileEdit[]> {
  const files = editFiles(folder);
  const edits: FileEdit[] = [];
  for (const edit of foldEdits(events).values()) {
    const present = await presentVersion(edit.path);
    const branch = branchOf(folder, edit.path);
    // A worktree that was removed has no file to restore; its branch has the code.
    if (branch !== undefined && present === 'missing' && edit.after !== 'missing') continue;
    if (!isSameVersion(present, edit.before))
      edits.push({ ...shown(edit, present, files), ...(branch !== undefined && { branch }) });
  }
  return edits;
}

/**
 * Undoes edits: each file gets the content and permissions that it had before the session's edits.
 * A file that was changed after the edits stays unchanged. Rejects with `UserFacing` for a path
 * that the session did not edit.
 */
export async function undoEdits(request: UndoRequest): Promise<UndoneEdits> {
  const files = editFiles(request.folder);
  const restored: ChangedFile[] = [];
  const conflicts: FileEdit[] = [];
  const failed: { path: string; why: string }[] = [];
  const edits = await chosen(request);
  try {
    for (const edit of edits) {
      const { path, before } = edit;
      const present = await presentVersion(path);
      if (isSameVersion(present, before)) restored.push({ path, before: present, after: before });
      else if (isConflict(edit, present)) conflicts.push(shown(edit, present, files));
      else {
        const why = await goBack(edit, files);
        if (why === undefined) restored.push({ path, before: present, after: before });
        else failed.push({ path, why });
      }
    }
  } finally {
    if (restored.length > 0)
      await request.record({ type: 'files.restored', by: request.by, files: restored });
  }
  const done = new Set(restored.map(({ path }) => path));
  const versions = edits.flatMap(({ path, before, sinceMs, isLater }) =>
    done.has(path) ? [{ path, isFile: before !== 'missing', sinceMs, isLater }] : [],
  );
  return { restored: [...done], versions, conflicts, failed };
}

/** Returns the edits outside of worktrees: a branch is not part of the checkout. */
export const editsOfCheckout = (
  events: readonly JournalEvent[],
  sessionFolder: string,
): readonly EditRecord[] =>
  [...foldEdits(events).values()].filter(({ path }) => branchOf(sessionFolder, path) === undefined);

/** Returns the branch in whose worktree a file of this computer is. */
function branchOf(sessionFolder: string, file: string): string | undefined {
  const names = file.split(sep);
  const at = names.indexOf(basename(sessionFolder));
  return at > 0 && names[at - 1] === 'worktrees' ? names[at + 1] : undefined;
}

async function chosen(request: UndoRequest): Promise<readonly EditRecord[]> {
  const { events, folder, paths } = request;
  if (paths === undefined) return editsOfCheckout(events, folder).filter(({ by }) => by === 'tool');
  const edits = foldEdits(events);
  return Promise.all(
    paths.map(async (path) => {
      const place = await realPlace(path);
      const edit = edits.get(place);
      if (edit !== undefined) return edit;
      throw notEdited(path, request, { place, edited: [...edits.keys()] });
    }),
  );
}

function notEdited(
  path: string,
  { folder }: UndoRequest,
  { place, edited }: { readonly place: string; readonly edited: readonly string[] },
): UserFacing {
  const branch = branchOf(folder, place);
  if (branch === undefined)
    return new UserFacing(
      `This session has no edit of ${path} to undo.`,
      `Files with edits: ${edited.join(', ') || 'none'}.`,
    );
  const ref = refOf(basename(folder) as SessionId, branch);
  return new UserFacing(
    `No tool of this session edited ${path}, so no version of it is kept.`,
    `What commands changed is in branch ${branch}: git -C ${join(worktreesOf(folder), branch)} log ${ref} lists its commits; git show COMMIT:FILE shows a version.`,
  );
}

/**
 * Restores the version before the edits. Resolves with the reason if the version could not be
 * restored.
 */
async function goBack(
  { path, before }: EditRecord,
  files: AttachmentFiles,
): Promise<string | undefined> {
  if (before === 'unkept') return 'The content before the edit is not stored.';
  try {
    if ((await realPlace(path)) !== path) return 'A folder above the file is a link now.';
    return (await restore({ path, files }, before))
      ? undefined
      : 'The stored content before the edit is missing or damaged.';
  } catch (error) {
    return messageOf(error);
  }
}

const isConflict = ({ after }: EditRecord, present: FileVersion): boolean =>
  after === undefined || !isSameVersion(present, after);

function shown(edit: EditRecord, present: FileVersion, files: AttachmentFiles): FileEdit {
  const { path, by, before, after } = edit;
  const fileOf = (version: FileVersion | undefined): string | undefined =>
    typeof version === 'object' ? contentPath(files, version) : undefined;
  const [beforeFile, afterFile] = [fileOf(before), fileOf(after)];
  return {
    path,
    by,
    state: stateOf(edit, present),
    ...(beforeFile !== undefined && { beforeFile }),
    ...(afterFile !== undefined && { afterFile }),
  };
}

function stateOf(edit: EditRecord, present: FileVersion): FileEdit['state'] {
  if (isConflict(edit, present)) return 'conflict';
  if (edit.before === 'unkept') return 'unkept';
  if (edit.before === 'missing') return 'created';
  return edit.after === 'missing' ? 'removed' : 'changed';
}
