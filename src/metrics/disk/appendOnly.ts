/** Reads and writes append-only files whose end may be missing after a crash or on a full disk. */
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../../base/errors.ts';
import { HeldFile } from '../../base/heldFiles.ts';
import { openIfThere } from '../../storage/openIfThere.ts';
import { MetricsError } from '../metricsError.ts';

/**
 * Writes all or part of `bytes` at `position` and returns the number of bytes written. Throws the
 * system's error.
 */
export type WriteAt = (fd: number, bytes: Uint8Array, position: number) => number;

export const systemWrite: WriteAt = (fd, bytes, position) =>
  writeSync(fd, bytes, 0, bytes.length, position);

/**
 * Writes all `bytes` at `position` and returns the position after them. After an error, the caller
 * may repeat the call.
 */
export function writeAll(write: WriteAt, fd: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length;) done += write(fd, bytes.subarray(done), position + done);
  return position + bytes.length;
}

/** Returns the content of the file; empty if the file does not exist. */
export async function readIfThere(path: string): Promise<Buffer> {
  const handle = await openIfThere(path);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a file for writing after its first `size` bytes; creates a missing file. Moves any bytes
 * after position `size` to the end of the file `keptPath`, so that nothing is lost. Only the
 * process that writes the file may call this function.
 */
export function openToAppend(path: string, size: number, keptPath: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const surplus = fstatSync(fd).size - size;
    if (surplus <= 0) return fd;
    const bytes = Buffer.alloc(surplus);
    appendFileSync(keptPath, bytes.subarray(0, readSync(fd, bytes, 0, surplus, size)), {
      flush: true,
      mode: 0o600,
    });
    ftruncateSync(fd, size);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Converts a system error to a `MetricsError`; returns any other error unchanged. */
export function diskError(error: unknown, folder: string): unknown {
  const code = codeOf(error);
  const isOfSystem = code !== undefined || error instanceof HeldFile;
  if (!isOfSystem || error instanceof MetricsError) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new MetricsError(
      'no_space',
      `No space left to write the metrics to ${folder}. Free some space.`,
      {
        cause: error,
      },
    );
  return new MetricsError(
    'io',
    `Cannot read or write the metrics in ${folder}: ${messageOf(error)}`,
    {
      cause: error,
    },
  );
}
