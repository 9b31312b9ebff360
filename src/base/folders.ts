import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates the folder and its parents with `mode`, less the umask. Rejects with the system's error. Does not use the `recursive`
 * option of Node's `mkdir`: on a file system that reports ENOENT for every new folder, such as
 * `/proc`, Node loops endlessly, and on a read-only file system, Node reports ENOENT instead of
 * EROFS.
 */
export async function makeFolders(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const above = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || above === folder) return refuseUnlessThere(folder, error);
    await makeFolders(above, mode);
    await mkdir(folder, mode).catch((again: unknown) => refuseUnlessThere(folder, again));
  }
}

async function refuseUnlessThere(folder: string, error: unknown): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw error;
}
