/** File operations of this computer that fulfil the `Machine` contract. */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { makeFolders } from '../../base/folders.ts';
import { MachineFailure, type FileStat, type MachineFailureReason } from '../machine.ts';

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
};

interface ReadRange {
  readonly offset: number;
  readonly maxBytes: number;
}

/**
 * Files that are read synchronously. They are read every few seconds for every run, and the kernel
 * answers from memory at once, so a thread of the pool would cost more.
 */
const answeredAtOnce = /^\/proc\/(?:\d+\/stat|sys\/kernel\/random\/boot_id)$/;

/** Converts a system error to a `MachineFailure` that names the operation and the path. */
export function fileFailure(error: unknown, deed: string, path: string): MachineFailure {
  if (error instanceof MachineFailure) return error;
  const [reason, why] = reasons[codeOf(error) ?? ''] ?? (['io', messageOf(error)] as const);
  return new MachineFailure(reason, `Cannot ${deed} ${path}: ${why}.`, { cause: error });
}

export async function readLocalFile(path: string, range?: ReadRange): Promise<Uint8Array> {
  try {
    if (range && answeredAtOnce.test(path)) return readAtOnce(path, range);
    return range ? await readRange(path, range) : await fs.readFile(path);
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
}

async function readRange(path: string, range: ReadRange): Promise<Uint8Array> {
  await using file = await fs.open(path, 'r');
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
    const failure = fileFailure(error, 'look at', path);
    if (failure.reason === 'missing') return undefined;
    throw failure;
  }
}

export async function appendLocalFile(path: string, content: Uint8Array): Promise<void> {
  try {
    await makeFolders(dirname(path));
    await fs.appendFile(path, content);
  } catch (error) {
    throw fileFailure(error, 'append to', path);
  }
}

/**
 * Writes a file atomically: writes a temporary file next to the target and renames it, so that
 * readers see either the old or the new content. Follows a symbolic link.
 */
export async function writeLocalFile(path: string, content: Uint8Array): Promise<void> {
  try {
    const target = await linkTarget(path);
    const old = await statOrNothing(target);
    if (old) await assertReplaceable(target, old);
    else await makeFolders(dirname(target));
    await replace(target, content, old);
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

async function assertReplaceable(path: string, stats: Stats): Promise<void> {
  if (stats.isDirectory()) throw new MachineFailure('io', `Cannot write ${path}: it is a folder.`);
  if (!stats.isFile())
    throw new MachineFailure('denied', `Cannot write ${path}: it is not a regular file.`);
  // Check the mode: renaming over a read-only file would succeed, and an access check always
  // succeeds for root.
  if ((stats.mode & 0o222) === 0)
    throw new MachineFailure('denied', `Cannot write ${path}: the file is read-only.`);
  await fs.access(path, constants.W_OK);
}

async function replace(target: string, content: Uint8Array, old: Stats | undefined): Promise<void> {
  const temporary = join(
    dirname(target),
    `.${basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    await using file = await fs.open(temporary, 'wx', old ? 0o600 : 0o666);
    await file.writeFile(content);
    if (old) {
      if (process.getuid?.() === 0 && old.uid !== 0) await file.chown(old.uid, old.gid);
      await file.chmod(old.mode & 0o7777);
    }
    await file.sync();
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}
