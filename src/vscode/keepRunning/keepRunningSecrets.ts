/**
 * Copies secrets that the background process renewed while no window was open, such as sign-in
 * tokens, into the secret storage.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { removeFile } from '../../base/heldFiles.ts';
import { codeOf } from '../../base/errors.ts';
import { readSecretFile } from '../../compose/secrets.ts';
import type { ApiKeys } from '../models/apiKeys.ts';

/** For each file in `folder`, stores its secret under the name of the file and deletes the file. */
export async function takeRenewed(folder: string, keys: Pick<ApiKeys, 'set'>): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = path.join(folder, name);
    const value = await readSecretFile(file);
    if (value !== undefined) await keys.set(name, value);
    await removeFile(file);
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.endsWith('.tmp'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
