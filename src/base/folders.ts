import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './errors.ts';

/**
 * Makes the folder, and those above it. Rejects with what the system says. The `recursive` of Node
 * is no help: where a file system says of each new folder that something is missing, as `/proc`
 * does, it tries for ever; and of one that is read-only it says the same.
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
