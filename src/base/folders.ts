import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates the folder and its parents. Rejects with the system's error. Node's `recursive` option is
 * unusable: it loops endlessly where a file system reports ENOENT for every new folder, as `/proc`
 * does, and it reports the same error for a read-only one.
 */
export async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || above === folder) return refuseUnlessThere(folder, error);
    await makeFolders(above);
    await mkdir(folder).catch((again: unknown) => refuseUnlessThere(folder, again));
  }
}

async function refuseUnlessThere(folder: string, error: unknown): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw error;
}
