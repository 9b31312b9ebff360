/** Texts about the edits of a session, and about undoing them. */
import { relative } from 'node:path';
import { exactTime } from '../../base/localTime.ts';
import type { FileEdit, RestoredVersion, UndoneEdits } from '../../agent/contract/edits.ts';
import { counted } from '../../base/text.ts';

const states: Readonly<Record<FileEdit['state'], string>> = {
  created: 'created',
  changed: 'changed',
  removed: 'removed',
  conflict: 'changed again later',
  unkept: 'cannot be undone: the earlier content is not stored',
};

/** Returns what happened to the file, such as `changed while a command ran`. */
export function editState({ state, by, branch }: FileEdit): string {
  const isByCommand = by === 'command' && state !== 'conflict' && state !== 'unkept';
  const text = isByCommand ? `${states[state]} while a command ran` : states[state];
  return branch === undefined ? text : `${text}, in the worktree of branch ${branch}`;
}

/** Returns the path relative to the folder; the absolute path of a file outside of it. */
export function editPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside.startsWith('..') ? path : inside;
}

/** Returns what was undone, one line per fact. */
export function undoneLines(undone: UndoneEdits, folder: string): readonly string[] {
  const { restored, conflicts, failed } = undone;
  const names = (paths: readonly string[]): string =>
    paths.map((path) => editPath(path, folder)).join(', ');
  return [
    restored.length === 0
      ? 'No edit was undone.'
      : `Edits of ${counted(restored.length, 'file')} undone: ${names(restored)}.`,
    ...versionLines(undone, folder),
    ...conflicts.map(
      ({ path }) => `${editPath(path, folder)} was changed later, so it is left unchanged.`,
    ),
    ...failed.map(({ path, why }) => `${editPath(path, folder)} was not restored. ${why}`),
  ];
}

const maxNamed = 20;

/** Returns what the files have now, one line for all with the same version. */
const versionLines = ({ versions }: UndoneEdits, folder: string): string[] =>
  [...Map.groupBy(versions, versionText)].map(([text, group]) => {
    const names = group.slice(0, maxNamed).map(({ path }) => editPath(path, folder));
    const rest = group.length > maxNamed ? ` and ${group.length - maxNamed} more` : '';
    return `${names.join(', ')}${rest}: ${text}.`;
  });

function versionText({ isFile, sinceMs, isLater }: RestoredVersion): string {
  const time = Number.isNaN(sinceMs) ? '' : ` of ${exactTime(sinceMs)}`;
  const edit = isLater ? 'last edits, made after the change of another' : 'first edit';
  return isFile
    ? `the content${time}, before the session's ${edit}`
    : `removed, because there was no such file before the session's ${edit}`;
}
