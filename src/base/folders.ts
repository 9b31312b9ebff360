import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Creates the folder and its parents. Rejects with the system's error. Does not use the `recursive`
 * option of Node's `mkdir`: on a file system that reports ENOENT for every new folder, such as
 * `/proc`, Node loops endlessly. On a read-only file system, Node also reports ENOENT.
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
