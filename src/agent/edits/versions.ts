/** Reads, stores and writes versions of files of this computer. */
import { randomBytes } from 'node:crypto';
import { chmod, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { removeFile, replaceFile } from '../../base/heldFiles.ts';
import { openRegularFile } from '../../base/regularFile.ts';
import { AttachmentFiles, hashOf } from '../../storage/attachmentFiles.ts';
import type { FileVersion, StoredVersion } from '../journal/fileEvents.ts';

/** Maximum size of a file whose content is stored, in bytes. */
const maxBytes = 50 * 1024 * 1024;

const mediaType = 'application/octet-stream';

/** A file on this computer. */
export interface FilePlace {
  /** Absolute path without links above the file. */
  readonly path: string;
  readonly files: AttachmentFiles;
}

/**
 * Resolves with the present version of a file, once its content is on the disk. Rejects with
 * `StorageFailure` if the content cannot be stored, or with the error of reading.
 */
export const storePresent = ({ path, files }: FilePlace): Promise<FileVersion> =>
  readPresent(path, (bytes, mode) => storeContent(bytes, mode, files));

/** Resolves with the present version of a file without storing its content. */
export const presentVersion = (path: string): Promise<FileVersion> =>
  readPresent(path, (bytes, mode) =>
    Promise.resolve({ hash: hashOf(bytes), sizeBytes: bytes.length, mode }),
  );

async function readPresent(
  path: string,
  versionOf: (bytes: Buffer, mode: number) => Promise<StoredVersion>,
): Promise<FileVersion> {
  const stats = await lstat(path).catch(missing);
  if (stats === undefined) return 'missing';
  if (!stats.isFile() || stats.size > maxBytes) return 'unkept';
  await using file = await openRegularFile(path);
  return versionOf(await file.readFile(), stats.mode & 0o7777);
}

/** Stores the content of a file. Resolves once it is on the disk. */
export async function storeContent(
  bytes: Uint8Array,
  mode: number,
  files: AttachmentFiles,
): Promise<StoredVersion> {
  const { hash, sizeBytes } = await files.keep(bytes, mediaType);
  return { hash, sizeBytes, mode };
}

/** Resolves with the stored content; `undefined` if it is missing or damaged. */
export const storedContent = (
  files: AttachmentFiles,
  { hash }: StoredVersion,
): Promise<Buffer | undefined> => files.read({ hash, mediaType });

/** Absolute path of the stored content. */
export const contentPath = (files: AttachmentFiles, { hash }: StoredVersion): string =>
  files.pathOf({ hash, mediaType });

/**
 * Restores a version of a file. The new content replaces the old content atomically. Resolves with
 * false if the stored content is missing or damaged. Never writes through a link.
 */
export async function restore(
  { path, files }: FilePlace,
  version: StoredVersion | 'missing',
): Promise<boolean> {
  if (version === 'missing') {
    await removeFile(path);
    return true;
  }
  const bytes = await storedContent(files, version);
  if (bytes === undefined) return false;
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, version.mode);
    await replaceFile(temporary, path);
    return true;
  } catch (error) {
    await removeFile(temporary).catch(() => undefined);
    throw error;
  }
}

/**
 * Resolves with the path in which links above the file are resolved. Folders that do not exist yet
 * stay unchanged.
 */
export async function realPlace(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  const real = await realpath(parent).catch(missing);
  return join(real ?? (await realPlace(parent)), basename(path));
}

function missing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
  throw error;
}

/**
 * Returns the storage for the file contents before and after the edits of a session. `folder` is
 * the folder of the session.
 */
export const editFiles = (folder: string): AttachmentFiles =>
  new AttachmentFiles(join(folder, 'edits'));
