import { open, type FileHandle } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';

/** Opens a file for reading; `undefined` when it does not exist. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
