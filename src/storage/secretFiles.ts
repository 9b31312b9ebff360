/**
 * Stores secrets in files that only the user can read: one file per secret, named after the secret.
 */
import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, UserFacing } from '../base/errors.ts';
import { removeFile } from '../base/heldFiles.ts';
import { thisSystem, type HostSystem } from '../base/hostSystem.ts';
import { writeFileAtomic } from './atomicFile.ts';
import { closeToOthers } from './ownerAccess.ts';

/**
 * Returns a function that writes a secret to a file in `folder`, or deletes the file when the value
 * is `undefined`. The function rejects with `StorageFailure`, and on Windows with `UserFacing` if
 * the folder cannot be closed to other users.
 */
export function secretStore(
  folder: string,
  system: HostSystem = thisSystem(),
): (name: string, value: string | undefined) => Promise<void> {
  return async (name, value) => {
    const file = path.join(folder, name);
    if (value === undefined) return removeFile(file);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await closeToOthers(folder, system);
    await writeFileAtomic(file, `${value}\n`, 0o600);
  };
}

/**
 * Reads a secret from its file. Resolves with `undefined` when the file does not exist. Rejects
 * with `UserFacing` when other users can read the file. Windows shows no modes of its own, so there
 * the file is read whatever its access list is.
 */
export async function readSecretFile(
  file: string,
  { platform }: Pick<HostSystem, 'platform'> = thisSystem(),
): Promise<string | undefined> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0 && platform !== 'win32')
      throw new UserFacing(
        `The key file ${file} can be read by other users.`,
        `Run: chmod 600 ${file}`,
      );
    const key = (await readFile(file, 'utf8')).trim();
    return key === '' ? undefined : key;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
