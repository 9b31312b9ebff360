/** Implements the file operations of the `Machine` contract for this computer. */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, readSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { makeFolders } from '../../base/folders.ts';
import { HeldFile, removeFile, replaceFile } from '../../base/heldFiles.ts';
import { NotRegularFile, openNow, openRegularFile } from '../../base/regularFile.ts';
import {
  MachineFailure,
  type FileStat,
  type MachineFailureReason,
  type AppendOptions,
  type WriteOptions,
} from '../machine.ts';
import { maxWholeFileBytes, tooLarge } from '../wholeFile.ts';

const reasons: Readonly<Record<string, readonly [MachineFailureReason, string]>> = {
  ENOENT: ['missing', 'it does not exist'],
  ENOTDIR: ['missing', 'a part of the path is not a folder'],
  // Caused by reading the /proc entry of a process that has just ended.
  ESRCH: ['missing', 'it no longer exists'],
  EACCES: ['denied', 'permission denied'],
  EPERM: ['denied', 'not permitted'],
  EROFS: ['denied', 'the file system is read-only'],
  ENOSPC: ['no_space', 'no space is left on the disk'],
  EDQUOT: ['no_space', 'the disk quota is used up'],
  EISDIR: ['io', 'it is a folder'],
  EFTYPE: ['denied', 'it is not a regular file'],
  // Caused by files such as /proc/kmsg, which look regular but wait for content.
  EAGAIN: ['denied', 'it is not a regular file'],
};

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Folder of the system with a path for each open file and folder. */
const descriptors = '/proc/self/fd';
const showsDescriptors = existsSync(descriptors);

interface ReadRange {
  readonly offset: number;
  readonly maxBytes: number;
}

/**
 * Files that are read synchronously. These files are read every few seconds for every run, and the
 * kernel generates their content in memory, so using a thread of Node's pool would take longer.
 */
const answeredAtOnce = /^\/proc\/(?:\d+\/stat|sys\/kernel\/random\/boot_id)$/;

/**
 * Converts a system error to a `MachineFailure`. `operation` is a verb for the message, as `read`
 * in `Cannot read /x: permission denied.`
 */
export function fileFailure(error: unknown, operation: string, path: string): MachineFailure {
  if (error instanceof MachineFailure) return error;
  if (error instanceof HeldFile) return new MachineFailure('io', error.message, { cause: error });
  const [reason, why] = reasons[codeOf(error) ?? ''] ?? (['io', messageOf(error)] as const);
  return new MachineFailure(reason, `Cannot ${operation} ${path}: ${why}.`, { cause: error });
}

export async function readLocalFile(path: string, range?: ReadRange): Promise<Uint8Array> {
  try {
    if (range && answeredAtOnce.test(path)) return readAtOnce(path, range);
    await using file = await openRegularFile(path);
    return range ? await readRange(file, range) : await readWhole(file, path);
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
}

/** Reads a file whose size the system may report as 0, as that of files in /proc. */
async function readWhole(file: fs.FileHandle, path: string): Promise<Uint8Array> {
  const { size } = await file.stat();
  if (size > maxWholeFileBytes) throw tooLarge(path, maxWholeFileBytes);
  return file.readFile();
}

async function readRange(file: fs.FileHandle, range: ReadRange): Promise<Uint8Array> {
  const buffer = Buffer.alloc(range.maxBytes);
  let filled = 0;
  while (filled < range.maxBytes) {
    const { bytesRead } = await file.read(
      buffer,
      filled,
      range.maxBytes - filled,
      range.offset + filled,
    );
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function readAtOnce(path: string, { offset, maxBytes }: ReadRange): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    return buffer.subarray(0, readSync(file, buffer, 0, maxBytes, offset));
  } finally {
    closeSync(file);
  }
}

export async function statLocal(path: string): Promise<FileStat | undefined> {
  const stats = await statOrNothing(path);
  return (
    stats && { sizeBytes: stats.size, modifiedMs: stats.mtimeMs, isDirectory: stats.isDirectory() }
  );
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await fs.stat(path);
  } catch (error) {
    const failure = fileFailure(error, 'access', path);
    if (failure.reason === 'missing') return undefined;
    throw failure;
  }
}

export async function appendLocalFile(
  path: string,
  content: Uint8Array,
  { realPath }: AppendOptions = {},
): Promise<void> {
  const flags = O_WRONLY | O_APPEND | O_CREAT;
  try {
    await makeFolders(dirname(path));
    if (realPath === undefined || !showsDescriptors) await append(path, content, flags);
    else await inFolder(realPath, (target) => append(target, content, flags | O_NOFOLLOW));
  } catch (error) {
    throw fileFailure(error, 'append to', path);
  }
}

async function append(path: string, content: Uint8Array, flags: number): Promise<void> {
  await using file = await openNow(path, flags);
  const stats = await file.stat();
  if (stats.isFIFO() || stats.isSocket()) throw new NotRegularFile();
  await file.appendFile(content);
}

/**
 * Calls `use` with a path that leads to the file at a real path, also while a program replaces a
 * folder above it by a link. Rejects if a program has done so.
 */
async function inFolder(realPath: string, use: (path: string) => Promise<void>): Promise<void> {
  const folder = dirname(realPath);
  await using open = await fs.open(folder, O_RDONLY | O_DIRECTORY);
  const opened = `${descriptors}/${open.fd}`;
  if ((await fs.readlink(opened)) !== folder)
    throw new MachineFailure('denied', `Cannot write ${realPath}: a link took its place.`);
  await use(join(opened, basename(realPath)));
}

/**
 * Writes a file atomically: writes a temporary file next to the target and renames it, so that
 * readers see either the old or the new content. Follows a symbolic link.
 */
export async function writeLocalFile(
  path: string,
  content: Uint8Array,
  { isPrivate = false, realPath }: WriteOptions = {},
): Promise<void> {
  const put = async (target: string): Promise<void> => {
    const old = await statOrNothing(target);
    if (old) await assertReplaceable(target, path, old);
    await replace(target, content, old ?? (isPrivate ? 0o600 : 0o666));
  };
  try {
    const isChecked = realPath !== undefined && showsDescriptors;
    const target = isChecked ? realPath : await linkTarget(path);
    await makeFolders(dirname(target), isPrivate ? 0o700 : 0o777);
    await (isChecked ? inFolder(target, put) : put(target));
  } catch (error) {
    throw fileFailure(error, 'write', path);
  }
}

async function linkTarget(path: string): Promise<string> {
  const link = await fs.readlink(path).catch(() => undefined);
  if (link === undefined) return path;
  // A dangling link has no real path, so create the file at the link's destination.
  return fs.realpath(path).catch(() => resolve(dirname(path), link));
}

async function assertReplaceable(target: string, path: string, stats: Stats): Promise<void> {
  if (stats.isDirectory()) throw new MachineFailure('io', `Cannot write ${path}: it is a folder.`);
  if (!stats.isFile())
    throw new MachineFailure('denied', `Cannot write ${path}: it is not a regular file.`);
  // Check the mode: renaming over a read-only file would succeed, and an access check always
  // succeeds for root.
  if ((stats.mode & 0o222) === 0)
    throw new MachineFailure('denied', `Cannot write ${path}: the file is read-only.`);
  await fs.access(target, constants.W_OK);
}

/**
 * @param like The file to replace, whose mode is kept; or the mode of a new file, before the umask.
 */
async function replace(target: string, content: Uint8Array, like: Stats | number): Promise<void> {
  const temporary = join(
    dirname(target),
    `.${basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    await using file = await fs.open(temporary, 'wx', typeof like === 'number' ? like : 0o600);
    await file.writeFile(content);
    if (typeof like !== 'number') {
      if (process.getuid?.() === 0 && like.uid !== 0) await file.chown(like.uid, like.gid);
      await file.chmod(like.mode & 0o7777);
    }
    await file.sync();
    await replaceFile(temporary, target);
  } catch (error) {
    await removeFile(temporary);
    throw error;
  }
}
