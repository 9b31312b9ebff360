/** Secrets in files that only their owner can read, one file per secret, named as in the engine. */
import { chmod, mkdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, UserFacing } from '../base/errors.ts';
import { writeFileAtomic } from './atomicFile.ts';

/**
 * Returns a function that stores a secret in `folder`, or deletes it for `undefined`. Rejects with
 * `StorageFailure`.
 */
export function secretStore(
  folder: string,
): (name: string, value: string | undefined) => Promise<void> {
  return async (name, value) => {
    const file = path.join(folder, name);
    if (value === undefined) return rm(file, { force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await writeFileAtomic(file, `${value}\n`, 0o600);
  };
}

/**
 * Returns the secret, or `undefined` when there is none. Rejects with `UserFacing` for a file that
 * others can read.
 */
export async function readSecretFile(file: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0)
      throw new UserFacing(`The key file ${file} can be read by others.`, `Run: chmod 600 ${file}`);
    const key = (await readFile(file, 'utf8')).trim();
    return key === '' ? undefined : key;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
