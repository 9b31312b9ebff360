/** Append-only files that may have been torn by a crash or a full disk. */
import { writeSync } from 'node:fs';
import { appendFile, open, readFile, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import { codeOf, messageOf } from '../base/errors.ts';
import { MetricsError } from './metricsError.ts';

/** Writes all or a part of `bytes` at `position` and says how many; throws the system's error. */
export type WriteAt = (fd: number, bytes: Uint8Array, position: number) => number;

export const systemWrite: WriteAt = (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position);

/** The position after the bytes. After an error the same bytes may be written again at the same place. */
export function writeAll(write: WriteAt, fd: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length;) done += write(fd, bytes.subarray(done), position + done);
  return position + bytes.length;
}

/** For reading and writing; made, with `content`, when it does not exist. */
export async function openOrCreate(path: string, content: Uint8Array): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await writeFile(path, content, { flag: 'wx' });
    return open(path, 'r+');
  }
}

/** Keeps the first `size` bytes of a file; the others are first added to the end of the file `keptPath`. */
export async function cutOff(path: string, size: number, keptPath: string): Promise<void> {
  const bytes = await readFile(path);
  await appendFile(keptPath, bytes.subarray(size), { flush: true });
  await truncate(path, size);
}

/** Errors of the system become `MetricsError`; others pass as they are. */
export function diskError(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof MetricsError) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new MetricsError('no_space', `No space left for the metrics in ${folder}: free some.`, { cause: error });
  return new MetricsError('io', `The metrics in ${folder} cannot be read or written: ${messageOf(error)}`, {
    cause: error,
  });
}
