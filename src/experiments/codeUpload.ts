/** The record of code that was sent to a machine: which files of which state are where. */
import type { PlatformPath } from 'node:path';
import { isInFolder } from '../machines/absolutePath.ts';
import type { CodeState, CopyPlace } from './experiment.ts';

export interface CodeUpload {
  readonly machineId: string;
  /** Absolute path of the copy on the machine, with links resolved. */
  readonly to: string;
  /** Root of the worktree on this computer whose repository stores the code. */
  readonly repo: string;
  readonly head?: string;
  /** The commit that stores the state of `repo` when the copy was made. */
  readonly commit: string;
  /** Path of the sent file or folder in `repo`, with `/`; empty for the whole worktree. */
  readonly source: string;
  readonly isFile: boolean;
  /**
   * Files and folders that were not written, as paths below `to`. They are no part of the upload.
   * Omitted if this is unknown: the transfer stopped, or an older version recorded the upload.
   */
  readonly notSent?: readonly string[];
  readonly leftOut: readonly string[];
}

export const copyPlace = (
  { to, source, isFile }: CodeUpload,
  paths: Pick<PlatformPath, 'dirname'>,
): CopyPlace =>
  isFile
    ? { root: paths.dirname(to), folder: source.split('/').slice(0, -1).join('/') }
    : { root: to, folder: source };

/**
 * Returns the upload that a launch runs: the newest that contains the folder of the command; else
 * the newest that contains a path of the command; else the newest below the folder.
 */
export function launchedUpload(
  uploads: readonly CodeUpload[],
  { folder, named }: { readonly folder: string; readonly named: readonly string[] },
  paths: PlatformPath,
): CodeUpload | undefined {
  const rootOf = (upload: CodeUpload): string => copyPlace(upload, paths).root;
  const folders = uploads.filter(({ isFile }) => !isFile);
  const containing = (path: string) => (upload: CodeUpload) =>
    isInFolder(paths, rootOf(upload), path);
  return (
    widest(folders.filter(containing(folder)), paths) ??
    folders.findLast((upload) => named.some((path) => containing(path)(upload))) ??
    uploads.findLast((upload) => containing(folder)(upload)) ??
    uploads.findLast((upload) => isInFolder(paths, folder, upload.to))
  );
}

/**
 * Returns the newest upload of the outermost folder: an upload of a folder within an earlier upload
 * is a part of it, if both are from one repository.
 */
function widest(uploads: readonly CodeUpload[], paths: PlatformPath): CodeUpload | undefined {
  const newest = uploads.at(-1);
  return uploads.findLast(
    ({ repo, to }) =>
      newest !== undefined &&
      repo === newest.repo &&
      uploads.every((other) => other.repo !== repo || isInFolder(paths, to, other.to)),
  );
}

/** Returns a path on the machine of the runs as a path in the repository with their code. */
export function pathInCode(
  code: Extract<CodeState, { kind: 'git' }>,
  path: string,
  paths: Pick<PlatformPath, 'join' | 'relative'>,
): string {
  const { repo, uploaded } = code;
  return uploaded === undefined
    ? paths.relative(repo, path)
    : paths.join(uploaded.folder, paths.relative(uploaded.root, path));
}
