/**
 * Finds the file or folder on disk that belongs to a note's path. Does not follow symbolic links.
 */
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { MemoryFailure, encodeSegment, type MemoryPath } from './memoryPath.ts';
import { noteFileOf, readEntries, type FolderEntry } from './noteFolder.ts';

export interface NotePlace {
  /** Absolute path of the folder that holds the node. */
  readonly folder: string;
  readonly entry: FolderEntry;
}

/**
 * Finds the node of `path`, which must not be a root. Resolves with `undefined` if no node has
 * exactly that name.
 */
export async function findPlace(root: string, path: MemoryPath): Promise<NotePlace | undefined> {
  let folder = root;
  for (const segment of path.segments.slice(0, -1)) {
    const entry = await entryAt(folder, segment, path);
    if (entry?.folder === undefined) return undefined;
    folder = join(folder, entry.folder);
  }
  const entry = await entryAt(folder, path.segments.at(-1) ?? '', path);
  return entry && { folder, entry };
}

/**
 * Returns the folder and entry at which to write the note of `path`, and creates its parent
 * folders.
 */
export async function makePlace(root: string, path: MemoryPath): Promise<NotePlace> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  let folder = root;
  for (const segment of path.segments.slice(0, -1)) {
    const known = (await entryAt(folder, segment, path))?.folder;
    if (known === undefined) await refuseCaseClash(folder, encodeSegment(segment), path);
    folder = join(folder, known ?? encodeSegment(segment));
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const name = path.segments.at(-1) ?? '';
  const entry = await entryAt(folder, name, path);
  if (entry?.note === undefined) await refuseCaseClash(folder, noteFileOf(name), path);
  return { folder, entry: entry ?? { name } };
}

async function entryAt(
  folder: string,
  name: string,
  path: MemoryPath,
): Promise<FolderEntry | undefined> {
  const entry = (await readEntries(folder)).get(name);
  if (entry?.isLink)
    throw new MemoryFailure(
      'link',
      `${path.text} goes through "${name}", which is a symbolic link. Memory consists of plain files and folders only. Use another name.`,
    );
  return entry;
}

/**
 * Refuses a new note (`papers`) that would overwrite another note (`Papers`) on a file system that
 * ignores case.
 */
async function refuseCaseClash(folder: string, fileName: string, path: MemoryPath): Promise<void> {
  if (!(await exists(join(folder, fileName)))) return;
  const same = (await readdir(folder)).find(
    (name) => name.toLowerCase() === fileName.toLowerCase(),
  );
  if (same === fileName) return;
  throw new MemoryFailure(
    'case_clash',
    `${path.text} clashes with "${same ?? fileName}" on this file system, which ignores case. Use that spelling, or another name.`,
  );
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
