/**
 * Opens regular files without ever waiting. Opening a pipe waits for its other end, and each wait
 * occupies one of the few threads that all file operations of the process share.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { codeOf } from './errors.ts';

/** Thrown instead of opening a pipe, a socket or a device. */
export class NotRegularFile extends Error {
  readonly code = 'EFTYPE';

  constructor(options?: ErrorOptions) {
    super('it is not a regular file', options);
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Opens a regular file for reading. Rejects with `NotRegularFile`, or with the system's error. Opens
 * a folder as well; reading from it fails with EISDIR. The kind is checked after the file is
 * opened, so that the file cannot be replaced in between.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await openNow(path, O_RDONLY);
  const stats = await file.stat();
  if (stats.isFile() || stats.isDirectory()) return file;
  await file.close();
  throw new NotRegularFile();
}

/** Opens a file of any kind without waiting. Rejects with `NotRegularFile` for a socket. */
export async function openNow(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags | O_NONBLOCK | O_NOCTTY, 0o666);
  } catch (error) {
    // Caused by a socket, by a device without a driver, and by a pipe that nobody reads.
    if (codeOf(error) === 'ENXIO') throw new NotRegularFile({ cause: error });
    throw error;
  }
}

/** Reads a text file. Rejects as `openRegularFile` does. */
export async function readRegularText(path: string): Promise<string> {
  await using file = await openRegularFile(path);
  return file.readFile('utf8');
}

/** Reads a file of at most `maxBytes`. Rejects as `openRegularFile` does, or for a longer file. */
export async function readRegularBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  await using file = await openRegularFile(path);
  const { size } = await file.stat();
  if (size > maxBytes) throw new RangeError(`it has more than ${maxBytes} bytes`);
  return file.readFile();
}
