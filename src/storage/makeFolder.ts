import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../base/errors.ts';
import { storageFailure } from './storageFailure.ts';

/** Makes the folder, and those above it. Rejects with `StorageFailure`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw storageFailure(await causeOf(folder, error), folder);
  }
}

/** Of a file system that is read-only Node says, too, that something is missing; the system itself says what is wrong. */
async function causeOf(folder: string, error: unknown): Promise<unknown> {
  const above = path.dirname(folder);
  if (codeOf(error) !== 'ENOENT' || above === folder) return error;
  try {
    await mkdir(folder);
    return error;
  } catch (plain) {
    return causeOf(above, plain);
  }
}
